public import Operations

extension FeatureContract {
  static let audiences = FeatureContract(operations: [ListAudience.self, CountAudience.self])
}

/// The recipients of a broadcast: all accounts that are verified and not suspended, or a part of them.
public struct Audience: Document, Hashable {
  public var language: Language?
  public var idleSince: Instant?

  public init(language: Language? = nil, idleSince: Instant? = nil) {
    self.language = language
    self.idleSince = idleSince
  }

  public static let notes: Notes = [
    "language": "Only accounts of that language.",
    "idleSince": "Only accounts without any session used since the UTC day of that instant began, and verified before it.",
  ]
}

/// Lists whom a message to many is for (NOT-5): in the order of their ids; idle accounts in the order of the days on which they were last
/// used, and of their ids within a day.
public enum ListAudience: OpenOperation {
  public struct Input: Document, Hashable {
    public var audience: Audience
    public var after: AccountID?
    public var afterDay: LocalDay?
    public var limit: Int

    public init(audience: Audience, after: AccountID?, afterDay: LocalDay? = nil, limit: Int) {
      self.audience = audience
      self.after = after
      self.afterDay = afterDay
      self.limit = limit
    }

    public static let notes: Notes = [
      "audience": "The audience.", "after": "The last account of the page before.",
      "afterDay": "The last day of the page before, for idle accounts; without an account, the list begins with that day.",
      "limit": Note("The maximum number of accounts.", range: 1...1000),
    ]
  }

  public struct Output: Document, Hashable {
    public var accountIDs: [AccountID]
    public var lastDay: LocalDay?

    public init(accountIDs: [AccountID], lastDay: LocalDay? = nil) {
      self.accountIDs = accountIDs
      self.lastDay = lastDay
    }

    public static let notes: Notes = [
      "accountIDs": "The accounts; empty after the last one.",
      "lastDay": "The UTC day on which the last of them was last used, if they are idle accounts.",
    ]
  }

  public static let spec = OperationSpec(
    "audiences.list", of: .identity, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-5"],
    "Lists the accounts that a broadcast goes to.")
}

/// Counts whom a message to many is for (NOT-5).
public enum CountAudience: OpenOperation {
  public typealias Input = Audience

  public struct Output: Document, Hashable {
    public var count: Int

    public init(count: Int) { self.count = count }

    public static let notes: Notes = ["count": "The number of accounts."]
  }

  public static let spec = OperationSpec(
    "audiences.count", of: .identity, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-5"],
    "Counts the accounts that a broadcast goes to.")
}
