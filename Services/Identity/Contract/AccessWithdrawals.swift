public import Operations

/// Somebody else may have been in an account: what they may have made to stay in is to end, with whoever keeps it.
///
/// It is published wherever personal access tokens end without their owner having revoked them one by one. A login that was not the owner's
/// withdraws what was made since; all else withdraws everything.
public struct AccessWithdrawn: Event, Hashable {
  public var accountID: AccountID
  public var since: Instant?
  public var at: Instant

  public init(accountID: AccountID, since: Instant?, at: Instant) {
    self.accountID = accountID
    self.since = since
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account.", "since": "Access made before that stays; absent if none does.",
    "at": "When it was withdrawn: access made later is another.",
  ]

  public static let spec = EventSpec(
    "access.withdrawn", by: .identity, requirements: ["ID-7", "ID-8", "ID-9"],
    "Access to an account that was given beyond its sessions, such as by secret links, is withdrawn.")
}
