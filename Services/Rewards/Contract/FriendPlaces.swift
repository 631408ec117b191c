public import Operations

/// Where an account stands among its friends by the steps of the present month (REW-6).
public struct FriendPlace: Document, Hashable {
  /// The month's first day.
  public var month: LocalDay
  /// Nil where it is not seen on leaderboards, or has made no steps.
  public var rank: Int?

  public init(month: LocalDay, rank: Int?) {
    self.month = month
    self.rank = rank
  }

  public static let notes: Notes = [
    "month": "The first day of the month, where the account is.",
    "rank": Note("Its place; absent where it is not seen on leaderboards, or has made no steps.", range: 1...1_000_000),
  ]
}

/// Says where each of some accounts stands among its friends, for notices of places that are lost (NOT-5).
public enum ReadFriendPlaces: OpenOperation {
  public struct Input: Document {
    public var accountIDs: [AccountID]

    public init(accountIDs: [AccountID]) { self.accountIDs = accountIDs }

    public static let notes: Notes = ["accountIDs": Note("Who asks to be told.", items: 1...50)]
  }

  public struct Output: Document, Hashable {
    public var places: [FriendPlace]

    public init(places: [FriendPlace]) { self.places = places }

    public static let notes: Notes = ["places": "One for each account, in the same order."]
  }

  public static let spec = OperationSpec(
    "friendPlaces.read", of: .rewards, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-5", "REW-6"],
    "Say where accounts stand among their friends by the steps of the present month.")
}
