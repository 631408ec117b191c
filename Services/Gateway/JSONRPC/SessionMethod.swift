import Operations

/// The method that belongs to a connection, not to a service: signs it in, renews the token of the same account, and begins live
/// delivery.
enum SessionMethod {
  static let authenticate = "session.authenticate"
}

struct AuthenticateInput: Document {
  var accessToken: String
  var lastEventID: RawJSON?
  var live: Bool?

  static let notes: Notes = [
    "accessToken": Note("As for HTTP; a personal access token too.", length: 1...4096),
    "lastEventID": "Number of the last live message seen; absent to begin with what happens from now on.",
    "live": "Whether to deliver live messages on this connection; if absent, whether the token allows it.",
  ]

  /// The number in ``lastEventID``: a number, or a text as server-sent events give their ids out.
  func lastSeen() throws(Failure) -> Int? {
    guard let lastEventID else { return nil }
    var digits = lastEventID.bytes[...]
    let quote = UInt8(ascii: "\"")
    if digits.count >= 2, digits.first == quote, digits.last == quote { digits = digits.dropFirst().dropLast() }
    return try LiveFeed.lastSeen(String(decoding: digits, as: UTF8.self)[...])
  }
}

struct AuthenticateOutput: Document {
  var accountID: AccountID
  var sessionID: SessionID?
  var expiresAt: Instant?

  static let notes: Notes = [
    "accountID": "Whom the connection speaks for.", "sessionID": "The session; absent for a personal access token.",
    "expiresAt": "Renew the token before; absent if it does not expire.",
  ]
}
