import IdentityContract
import Operations

/// What a person logs in with: an e-mail address, a username, or a text that is neither and so no account's.
enum Login: Hashable, Sendable {
  case email(EmailAddress)
  case username(Username)
  case other(String)

  init(_ text: String) {
    let bare = String(text.trimming { $0 == " " })
    // No username has an at sign.
    if let email = try? EmailAddress(text: bare) {
      self = .email(email)
    } else if let username = try? Username(text: bare) {
      self = .username(username)
    } else {
      self = .other(bare.lowercased())
    }
  }

  /// The same for every way of writing the same login.
  var bytes: [UInt8] {
    switch self {
    case .email(let email): Array(email.normalized.utf8)
    case .username(let username): Array(username.description.utf8)
    case .other(let text): Array(text.utf8)
    }
  }
}
