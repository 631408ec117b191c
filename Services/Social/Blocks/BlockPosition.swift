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
    let (since, account) = try TextParts.pair(text)
    self.init(since: try Instant(text: since), accountID: try AccountID(text: account))
  }

  var description: String { "\(since)/\(accountID)" }
}
