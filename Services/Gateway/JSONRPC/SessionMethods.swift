import Operations

/// The methods that belong to a connection, not to a service.
enum SessionMethod: String {
  /// Signs the connection in, or renews the token of the same account.
  case authenticate = "session.authenticate"
  /// Begins live delivery on the connection.
  case live = "session.live"
}

struct AuthenticateInput: Document {
  var accessToken: String

  static let notes: Notes = ["accessToken": Note("As for HTTP.", length: 1...4096)]
}

struct AuthenticateOutput: Document {
  var accountID: AccountID
  var sessionID: SessionID
  var expiresAt: Instant

  static let notes: Notes = [
    "accountID": "Whom the connection speaks for.", "sessionID": "The session.", "expiresAt": "Renew the token before.",
  ]
}

struct LiveInput: Document {
  var lastEventId: Int?

  static let notes: Notes = [
    "lastEventId": Note("Number of the last message seen; absent to begin with what happens from now on.", range: 0...9e15)
  ]
}
