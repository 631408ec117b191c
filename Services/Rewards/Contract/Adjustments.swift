public import Operations

extension FeatureContract {
  static let adjustments = FeatureContract(operations: [AdjustCoins.self], events: [CoinsAdjusted.self])
}

/// An administrator corrects an account's balance, with a reason that its owner reads (REW-2).
public enum AdjustCoins: AccountOperation {
  /// Whose balance, by how much, and why.
  public struct Input: Document {
    /// Whose balance.
    public var accountID: AccountID
    /// How many coins to credit (positive) or debit (negative).
    public var coins: Int
    /// The reason.
    public var reason: String
    /// The transfer that is corrected: a debit takes coins from its lots first.
    public var transferID: TransferID?

    /// The input from its parts.
    public init(accountID: AccountID, coins: Int, reason: String, transferID: TransferID? = nil) {
      self.accountID = accountID
      self.coins = coins
      self.reason = reason
      self.transferID = transferID
    }

    /// The maximum number of coins that one correction moves.
    public static let maxCoins = 1_000_000_000

    public static let notes: Notes = [
      "accountID": "The account whose balance it is.",
      "coins": Note(
        "The number of coins to add (positive) or to take (negative); not 0.", range: Double(-maxCoins)...Double(maxCoins),
        example: -20),
      "reason": LedgerText.reason,
      "transferID": "The transfer of the account that is corrected: coins are taken from its coins first.",
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(coins != 0, "coins", FieldRule("zero_coins"))
      fields.expect(!reason.isBlank, "reason", FieldRule("empty"))
    }
  }

  public typealias Output = Transfer

  public static let spec = OperationSpec(
    "coins.adjust", of: .rewards, .post("/v1/coins/adjustments"), by: .administrator, effect: .create,
    failures: [RequestFailure.notFound.kind, OfferFailure.notEnoughCoins.kind], requirements: ["REW-2"],
    "Corrects another account's balance, never below zero; its owner reads the reason.")
}

/// An administrator corrected an account's balance.
public struct CoinsAdjusted: Event, Hashable {
  public var accountID: AccountID
  public var transferID: TransferID
  /// Positive if credited, negative if debited.
  public var coins: Int
  public var reason: String
  public var balance: Int
  public var at: Instant

  public init(accountID: AccountID, transferID: TransferID, coins: Int, reason: String, balance: Int, at: Instant) {
    self.accountID = accountID
    self.transferID = transferID
    self.coins = coins
    self.reason = reason
    self.balance = balance
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account whose coins they are.", "transferID": LedgerText.transferID,
    "coins": "The number of coins: positive if added, negative if taken.",
    "reason": LedgerText.reason, "balance": LedgerText.balance, "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "coins.adjusted", by: .rewards, requirements: ["REW-2"], "An administrator corrected an account's balance.")
}
