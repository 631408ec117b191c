public import Operations

extension FeatureContract {
  static let ledger = FeatureContract(
    events: [
      CoinsRefunded.self, CoinsRewarded.self, CoinsRewardReversed.self, CoinsExpired.self, CoinsExpiring.self, LedgerFailed.self,
    ])
}

// What moves coins besides steps and offers (REW-2).

enum LedgerText {
  static let reason = Note(
    "Why, as the account's owner reads it.", length: 1...500, breaksLines: true, example: "Steps of a borrowed device")
  static let transferID: Note = "The transfer that moved them."
  static let balance: Note = "How many the account had then."

  static func ofSteps(coins: Note) -> Notes {
    [
      "accountID": "The account whose coins they are.", "transferID": transferID, "coins": coins, "balance": balance,
      "at": "When it happened.",
      "day": "The local day of the steps; absent if an earlier version counted several together.",
    ]
  }

  static func ofChallenges(coins: Note) -> Notes {
    [
      "accountID": "The account whose coins they are.", "transferID": transferID, "challenge": "What identifies the challenge.",
      "coins": coins,
      "balance": balance, "at": "When it happened.",
    ]
  }
}

// MARK: - Events

/// A redemption was voided, and its coins were credited back.
public struct CoinsRefunded: Event, Hashable {
  public var accountID: AccountID
  public var transferID: TransferID
  public var redemptionID: RedemptionID
  public var title: String
  public var coins: Int
  public var balance: Int
  public var at: Instant

  public init(
    accountID: AccountID, transferID: TransferID, redemptionID: RedemptionID, title: String, coins: Int, balance: Int,
    at: Instant
  ) {
    self.accountID = accountID
    self.transferID = transferID
    self.redemptionID = redemptionID
    self.title = title
    self.coins = coins
    self.balance = balance
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account whose coins they are.", "transferID": LedgerText.transferID,
    "redemptionID": "The redemption.", "title": "The offer, as it was called when it was redeemed.",
    "coins": "The number of coins refunded.", "balance": LedgerText.balance, "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "coins.refunded", by: .rewards, requirements: ["REW-2", "REW-5"], "A redemption was voided, and its coins were refunded.")
}

/// Coins were credited for a completed challenge (``CoinsRewarded``), or taken back (``CoinsRewardReversed``).
public struct ChallengeCoins<Movement: CoinsMovement>: Event, Hashable {
  public var accountID: AccountID
  public var transferID: TransferID
  /// The id of the challenge's definition.
  public var challenge: String
  public var coins: Int
  public var balance: Int
  public var at: Instant

  public init(
    accountID: AccountID, transferID: TransferID, challenge: String, coins: Int, balance: Int, at: Instant
  ) {
    self.accountID = accountID
    self.transferID = transferID
    self.challenge = challenge
    self.coins = coins
    self.balance = balance
    self.at = at
  }

  public static var schemaName: String { Movement.schemaName }
  public static var notes: Notes { Movement.notes }
  public static var spec: EventSpec { Movement.spec }
}

/// A challenge was completed, and its coins were credited.
public typealias CoinsRewarded = ChallengeCoins<Rewarding>
/// A challenge's completion was corrected or revoked, and the reward reversed: its unspent coins were taken back.
public typealias CoinsRewardReversed = ChallengeCoins<ReversingRewards>

/// The direction of a movement of coins, where events of both directions have the same fields.
public protocol CoinsMovement: Sendable {
  /// The event's specification.
  static var spec: EventSpec { get }
  /// The schema's name in the documentation.
  static var schemaName: String { get }
  /// The notes on the event's fields.
  static var notes: Notes { get }
}

/// Parameters of ``CoinsRewarded``.
public enum Rewarding: CoinsMovement {
  public static let spec = EventSpec(
    "coins.rewarded", by: .rewards, requirements: ["REW-2", "REW-7"], "An account was paid the coins for a completed challenge.")
  public static let schemaName = "CoinsRewarded"
  public static let notes = LedgerText.ofChallenges(coins: "How many came.")
}

/// Parameters of ``CoinsRewardReversed``.
public enum ReversingRewards: CoinsMovement {
  public static let spec = EventSpec(
    "coins.rewardReversed", formerly: "coins.rewardTakenBack", by: .rewards, requirements: ["REW-2", "REW-7"],
    "The movement that had completed a challenge was corrected, or the challenge revoked, and what was left of its coins taken back."
  )
  public static let schemaName = "CoinsRewardReversed"
  public static let notes = LedgerText.ofChallenges(coins: "How many were taken back.")
}

/// Unspent coins expired.
public struct CoinsExpired: Event, Hashable {
  public var accountID: AccountID
  public var transferID: TransferID
  public var coins: Int
  public var balance: Int
  public var at: Instant

  public init(accountID: AccountID, transferID: TransferID, coins: Int, balance: Int, at: Instant) {
    self.accountID = accountID
    self.transferID = transferID
    self.coins = coins
    self.balance = balance
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account whose coins they are.", "transferID": LedgerText.transferID,
    "coins": "The number of coins that expired.",
    "balance": LedgerText.balance, "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "coins.expired", by: .rewards, requirements: ["REW-2"], "Coins expired unspent.")
}

/// Names a notice about coins that expire soon.
public typealias CoinsExpiringID = ID<CoinsExpiring>

/// Coins expire soon; published once for each lot.
public struct CoinsExpiring: Event, Hashable {
  public var noticeID: CoinsExpiringID
  public var accountID: AccountID
  public var coins: Int
  public var endsAt: Instant
  public var at: Instant

  public init(noticeID: CoinsExpiringID, accountID: AccountID, coins: Int, endsAt: Instant, at: Instant) {
    self.noticeID = noticeID
    self.accountID = accountID
    self.coins = coins
    self.endsAt = endsAt
    self.at = at
  }

  public static let notes: Notes = [
    "noticeID": "Id of the notice.", "accountID": "The account whose coins they are.",
    "coins": "The number of coins left that expire.",
    "endsAt": "When they expire.", "at": "When this was published.",
  ]

  public static let spec = EventSpec(
    "coins.expiring", formerly: "coins.ending", by: .rewards, requirements: ["REW-2"], "Coins of an account expire soon.")
}

/// The nightly check of the ledger failed: its contents do not add up.
public struct LedgerFailed: Event, Hashable {
  /// The number of faults found.
  public var faults: Int
  public var at: Instant

  public init(faults: Int, at: Instant) {
    self.faults = faults
    self.at = at
  }

  public static let notes: Notes = ["faults": "The number of faults found.", "at": "When it happened."]

  public static let spec = EventSpec(
    "ledger.failed", by: .rewards, requirements: ["REW-2"], "The nightly check of the ledger failed: it does not add up.")
}
