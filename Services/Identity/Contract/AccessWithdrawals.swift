public import Operations

extension FeatureContract {
  static let accessWithdrawals = FeatureContract(events: [AccessWithdrawn.self])
}

/// Another person may have had access to an account: every service ends the access that person may have created.
///
/// It is published wherever personal access tokens end without the owner revoking them one by one. For a login that was not the owner's, it
/// covers what was created since then; in all other cases, everything.
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
    "accountID": "The account.", "since": "Access created before that instant stays; absent if none does.",
    "at": "When it was withdrawn; access created later is not affected.",
  ]

  public static let spec = EventSpec(
    "access.withdrawn", by: .identity, requirements: ["ID-7", "ID-8", "ID-9"],
    "Access to an account given beyond its sessions, such as by secret links, was withdrawn.")
}
