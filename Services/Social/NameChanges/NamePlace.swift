import Operations

/// A place in a list that is sorted by username, and by account where two have the same one: somebody may take a username that its former
/// owner still has in a list, see ``NameChangeStore``.
struct NamePlace: Sendable, CustomStringConvertible {
  let username: String
  let account: AccountID

  /// The place before all others.
  static let start = NamePlace(username: "", account: .placeholder)

  init(username: String, account: AccountID) {
    self.username = username
    self.account = account
  }

  /// Reads a place from a cursor.
  init(text: String) throws(FieldRule) {
    let parts = text.split(at: "/")
    guard parts.count == 2 else { throw PageCursor.invalid }
    self.init(username: String(parts[0]), account: try AccountID(text: String(parts[1])))
  }

  var description: String { "\(username)/\(account)" }
}
