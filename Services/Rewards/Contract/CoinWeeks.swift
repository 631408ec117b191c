public import Operations

extension FeatureContract {
  static let coinWeeks = FeatureContract(operations: [GetCoinWeeks.self])
}

/// An account, and the period that its summary covers.
public struct CoinTime: Document, Hashable {
  public var accountID: AccountID
  public var from: Instant
  public var until: Instant

  public init(accountID: AccountID, from: Instant, until: Instant) {
    self.accountID = accountID
    self.from = from
    self.until = until
  }

  public static let notes: Notes = [
    "accountID": "The account whose coins they are.", "from": "When it begins.", "until": "When it ends, exclusive.",
  ]
}

/// What an account earned and spent in a week (NOT-3).
public struct CoinWeek: Document, Hashable {
  public var accountID: AccountID
  /// Coins for steps and challenges, less those taken back.
  public var earned: Int
  /// Coins for offers, less those refunded.
  public var spent: Int
  /// The coins that can be spent now.
  public var balance: Int

  public init(accountID: AccountID, earned: Int, spent: Int, balance: Int) {
    self.accountID = accountID
    self.earned = earned
    self.spent = spent
    self.balance = balance
  }

  public static let notes: Notes = [
    "accountID": "The account whose coins they are.",
    "earned": "The coins earned by steps and challenges, less those taken back.",
    "spent": "The coins spent on offers, less those refunded.", "balance": "The coins that can be spent now.",
  ]
}

/// Returns what accounts earned and spent, for their weekly summaries (NOT-3).
public enum GetCoinWeeks: OpenOperation {
  public struct Input: Document {
    public var times: [CoinTime]

    public init(times: [CoinTime]) { self.times = times }

    public static let notes: Notes = ["times": Note("The accounts and their periods.", items: 1...50)]
  }

  public struct Output: Document, Hashable {
    public var weeks: [CoinWeek]

    public init(weeks: [CoinWeek]) { self.weeks = weeks }

    public static let notes: Notes = ["weeks": "One for each of the requested ones, in the same order."]
  }

  public static let spec = OperationSpec(
    "coinWeeks.get", of: .rewards, nil, by: .services([.notifications]), effect: .read, requirements: ["NOT-3"],
    "Returns how many coins accounts gained and spent in a period.")
}
