public import Operations

extension FeatureContract {
  static let coins = FeatureContract(
    operations: [GetBalance.self, ListTransfers.self], events: [CoinsEarned.self, CoinsCorrected.self])
}

/// An account's coins, and how far it is from the next coin (REW-1, REW-2).
public struct Balance: Document, Hashable {
  /// The coins that can be spent.
  public var coins: Int
  /// Steps that count towards the next coin. Negative after a correction took back steps whose coins were spent; further steps settle that
  /// first.
  public var carriedSteps: Int
  /// The number of steps that make a coin now.
  public var stepsPerCoin: Int
  /// The coins that expire next; nil where none expire.
  public var nextExpiry: ExpiringCoins?

  /// A balance from its parts.
  public init(coins: Int, carriedSteps: Int, stepsPerCoin: Int, nextExpiry: ExpiringCoins? = nil) {
    self.coins = coins
    self.carriedSteps = carriedSteps
    self.stepsPerCoin = stepsPerCoin
    self.nextExpiry = nextExpiry
  }

  public static let notes: Notes = [
    "coins": Note("Coins to spend.", example: 42),
    "carriedSteps": Note(
      "Steps that count towards the next coin; negative after a correction took back steps whose coins were spent.", example: 63),
    "stepsPerCoin": Note("The number of steps that make a coin now.", example: 100),
    "nextExpiry": "The coins that expire next; absent if none expire.",
  ]
}

/// Coins that can be spent until an instant, that instant excluded (REW-2).
public struct ExpiringCoins: Document, Hashable {
  /// How many.
  public var coins: Int
  /// When they expire.
  public var expiresAt: Instant

  /// The coins from their parts.
  public init(coins: Int, expiresAt: Instant) {
    self.coins = coins
    self.expiresAt = expiresAt
  }

  public static let notes: Notes = [
    "coins": Note("The number of coins.", example: 12), "expiresAt": "When they expire unless they are spent before.",
  ]
}

/// Returns the account's balance (REW-2).
public enum GetBalance: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Balance

  public static let spec = OperationSpec(
    "coins.getBalance", of: .rewards, .get("/v1/coins/balance"), by: .account, effect: .read, requirements: ["REW-1", "REW-2"],
    "Returns the caller's coin balance, and the steps carried over towards the next coin.")
}

/// Coins that were credited to an account or debited from it, and the reason (REW-2).
public struct Transfer: Document, Hashable {
  /// Why coins move.
  public enum Kind: String, Choice {
    /// Steps became coins.
    case earned
    /// Steps were corrected downwards.
    case corrected
    /// An offer was redeemed.
    case redeemed
    /// A redemption was voided.
    case refunded
    /// A challenge was completed.
    case challengeReward
    /// The movement that had completed a challenge was corrected, or an administrator revoked the completion.
    case challengeRewardReversed
    /// An administrator corrected the balance.
    case adjusted
    /// The coins expired.
    case expired

    public init?(rawValue: String) { self.init(rawValue, formerly: ["challengeRewardTakenBack": .challengeRewardReversed]) }
  }

  /// The lot to which coins were credited: coins of one cause that expire together.
  public struct Lot: Document, Hashable {
    /// How many coins of the lot are left, including those of its other transfers.
    public var remaining: Int
    /// When the coins expire; nil where they do not.
    public var expiresAt: Instant?

    /// A lot from its parts.
    public init(remaining: Int, expiresAt: Instant? = nil) {
      self.remaining = remaining
      self.expiresAt = expiresAt
    }

    public static let notes: Notes = [
      "remaining": Note("The coins left of the lot, including those of its other transfers.", example: 30),
      "expiresAt": "When they expire; absent if they do not.",
    ]
  }

  /// Names the transfer.
  public var id: TransferID
  /// Why the coins moved.
  public var kind: Kind
  /// How many coins: positive if credited, negative if debited.
  public var coins: Int
  /// When the coins moved.
  public var at: Instant
  /// The local day of the steps.
  public var day: LocalDay?
  /// The offer's title when it was redeemed, or the challenge's title.
  public var title: String?
  /// Why an administrator corrected the balance.
  public var reason: String?
  /// The lot to which the coins were credited; nil where they were debited.
  public var lot: Lot?

  /// A transfer from its parts.
  public init(
    id: TransferID, kind: Kind, coins: Int, at: Instant, day: LocalDay? = nil, title: String? = nil, reason: String? = nil,
    lot: Lot? = nil
  ) {
    self.id = id
    self.kind = kind
    self.coins = coins
    self.at = at
    self.day = day
    self.title = title
    self.reason = reason
    self.lot = lot
  }

  public static let notes: Notes = [
    "id": "Id of the transfer.",
    "kind":
      """
    `earned`: steps became coins; `corrected`: steps were corrected downwards; `redeemed`: an offer was redeemed; `refunded`: that \
    was voided; `challengeReward`: a challenge was completed; `challengeRewardReversed`: its movement was corrected, or the completion revoked; `adjusted`: \
    an administrator corrected the balance; `expired`: the coins expired.
    """,
    "coins": Note("The number of coins: positive if gained, negative if spent or taken.", example: -250),
    "at": "When it happened.",
    "day": "The local day of the steps; absent for other kinds, and where an earlier version counted several days together.",
    "title": Note("The offer, as it was called when it was redeemed, or the challenge.", example: "Coffee for two"),
    "reason": Note("Why an administrator corrected the balance.", length: 1...500, breaksLines: true),
    "lot": "The lot that the coins were added to: coins of one cause that expire together. Absent for coins spent or taken.",
  ]
}

/// Names a transfer.
public typealias TransferID = ID<Transfer>

/// Lists the account's transfers, newest first (REW-2).
public enum ListTransfers: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Transfer>

  public static let spec = OperationSpec(
    "coins.listTransfers", of: .rewards, .get("/v1/coins/transfers"), by: .account, effect: .read, requirements: ["REW-2"],
    "Lists the changes of the caller's coin balance, newest first.")
}

/// Coins were credited for steps (``CoinsEarned``), or taken back by a correction (``CoinsCorrected``).
public struct StepCoins<Movement: CoinsMovement>: Event, Hashable {
  /// The account whose coins moved.
  public var accountID: AccountID
  /// The transfer that moved them.
  public var transferID: TransferID
  /// How many.
  public var coins: Int
  /// The account's balance after the transfer.
  public var balance: Int
  /// When the coins moved.
  public var at: Instant
  /// The local day of the steps; nil in events of earlier versions, which combined several days.
  public var day: LocalDay?

  /// The event from its parts.
  public init(accountID: AccountID, transferID: TransferID, coins: Int, balance: Int, at: Instant, day: LocalDay? = nil) {
    self.accountID = accountID
    self.transferID = transferID
    self.coins = coins
    self.balance = balance
    self.at = at
    self.day = day
  }

  public static var schemaName: String { Movement.schemaName }
  public static var notes: Notes { Movement.notes }
  public static var spec: EventSpec { Movement.spec }
}

/// Steps became coins (REW-1).
public typealias CoinsEarned = StepCoins<Earning>
/// Steps were corrected downwards, and their coins taken back as far as the balance went (REW-1).
public typealias CoinsCorrected = StepCoins<Correcting>

/// Parameters of ``CoinsEarned``.
public enum Earning: CoinsMovement {
  public static let spec = EventSpec("coins.earned", by: .rewards, requirements: ["REW-1"], "Steps became coins.")
  public static let schemaName = "CoinsEarned"
  public static let notes = LedgerText.ofSteps(coins: "How many were earned.")
}

/// Parameters of ``CoinsCorrected``.
public enum Correcting: CoinsMovement {
  public static let spec = EventSpec(
    "coins.corrected", by: .rewards, requirements: ["REW-1"],
    "Steps were corrected downwards, and their coins taken back as far as the balance allowed.")
  public static let schemaName = "CoinsCorrected"
  public static let notes = LedgerText.ofSteps(coins: "How many were taken back.")
}
