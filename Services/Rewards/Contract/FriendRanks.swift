public import Operations

extension FeatureContract {
  static let friendRanks = FeatureContract(operations: [GetFriendRanks.self])
}

/// An account's rank among its friends by the steps of the present month (REW-6).
public struct FriendRank: Document, Hashable {
  /// The month's first day.
  public var month: LocalDay
  /// Nil where the account is not visible on leaderboards, or has no steps.
  public var rank: Int?

  public init(month: LocalDay, rank: Int?) {
    self.month = month
    self.rank = rank
  }

  public static let notes: Notes = [
    "month": "The first day of the month, where the account is.",
    "rank": Note("Its rank; absent if it is not shown on leaderboards, or has made no steps.", range: 1...1_000_000),
  ]
}

/// Returns the rank of each of some accounts among its friends, for notices of lost ranks (NOT-5).
public enum GetFriendRanks: OpenOperation {
  public struct Input: Document {
    public var accountIDs: [AccountID]

    public init(accountIDs: [AccountID]) { self.accountIDs = accountIDs }

    public static let notes: Notes = ["accountIDs": Note("The accounts.", items: 1...50)]
  }

  public struct Output: Document, Hashable {
    public var ranks: [FriendRank]

    public init(ranks: [FriendRank]) { self.ranks = ranks }

    public static let notes: Notes = ["ranks": "One for each requested account, in the same order."]
  }

  public static let spec = OperationSpec(
    "friendRanks.get", of: .rewards, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-5", "REW-6"],
    "Returns the ranks of accounts among their friends by the steps of the present month.")
}
