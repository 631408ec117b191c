import Operations

/// Where a page of blocks ends: by when they were made, the latest first, and then by the account.
struct BlockPosition: CustomStringConvertible {
  let since: Instant
  let accountID: AccountID

  init(since: Instant, accountID: AccountID) {
    self.since = since
    self.accountID = accountID
  }

  /// Reads its description.
  init(text: String) throws(FieldRule) {
    let parts = text.split(at: "/").map(String.init)
    guard parts.count == 2 else { throw PageCursor.invalid }
    self.init(since: try Instant(text: parts[0]), accountID: try AccountID(text: parts[1]))
  }

  var description: String { "\(since)/\(accountID)" }
}
