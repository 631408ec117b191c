import Operations

/// The method that belongs to a connection, not to a service: signs it in, renews the token of the same account, and begins live
/// delivery.
enum SessionMethod {
  static let authenticate = "session.authenticate"
}

struct AuthenticateInput: Document {
  var accessToken: String
  var lastEventID: Int?
  var live: Bool?

  static let notes: Notes = [
    "accessToken": Note("As for HTTP.", length: 1...4096),
    "lastEventID": Note("Number of the last live message seen; absent to begin with what happens from now on.", range: 0...9e15),
    "live": "Whether to deliver live messages on this connection; true if absent.",
  ]
}

struct AuthenticateOutput: Document {
  var accountID: AccountID
  var sessionID: SessionID
  var expiresAt: Instant

  static let notes: Notes = [
    "accountID": "Whom the connection speaks for.", "sessionID": "The session.", "expiresAt": "Renew the token before.",
  ]
}
