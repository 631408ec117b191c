public import Operations

/// What an account has, and how far it is from the next coin (REW-1, REW-2).
public struct Balance: Document, Hashable {
  /// Coins to spend.
  public var coins: Int
  /// Steps that count towards the next coin. Negative after a correction took back steps whose coins were spent: steps to come
  /// settle that first.
  public var carriedSteps: Int
  /// How many steps make a coin now.
  public var stepsPerCoin: Int

  /// A balance from its parts.
  public init(coins: Int, carriedSteps: Int, stepsPerCoin: Int) {
    self.coins = coins
    self.carriedSteps = carriedSteps
    self.stepsPerCoin = stepsPerCoin
  }

  public static let notes: Notes = [
    "coins": Note("Coins to spend.", example: 42),
    "carriedSteps": Note(
      "Steps that count towards the next coin; negative after a correction took back steps whose coins were spent.", example: 63),
    "stepsPerCoin": Note("How many steps make a coin now.", example: 100),
  ]
}

/// Shows the account's balance (REW-2).
public enum GetBalance: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Balance

  public static let spec = OperationSpec(
    "coins.balance", of: .rewards, .get("/v1/coins/balance"), by: .account, effect: .read, requirements: ["REW-1", "REW-2"],
    "Show how many coins the account has, and the steps carried over towards the next.")
}

/// Coins that came to an account or left it (REW-2).
public struct Transfer: Document, Hashable {
  /// Why coins move.
  public enum Kind: String, Choice {
    /// Steps became coins.
    case earned
    /// Steps were corrected downwards.
    case corrected
    /// An offer was redeemed.
    case redeemed
  }

  /// Names the transfer.
  public var id: TransferID
  /// Why.
  public var kind: Kind
  /// How many: positive came, negative left.
  public var coins: Int
  /// When.
  public var at: Instant

  /// A transfer from its parts.
  public init(id: TransferID, kind: Kind, coins: Int, at: Instant) {
    self.id = id
    self.kind = kind
    self.coins = coins
    self.at = at
  }

  public static let notes: Notes = [
    "id": "Names the transfer.",
    "kind": "`earned`: steps became coins; `corrected`: steps were corrected downwards; `redeemed`: an offer was redeemed.",
    "coins": Note("How many: positive came, negative left.", example: -250), "at": "When.",
  ]
}

/// Names a transfer.
public typealias TransferID = ID<Transfer>

/// Lists the account's transfers, newest first (REW-2).
public enum ListTransfers: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Transfer>

  public static let spec = OperationSpec(
    "coins.history", of: .rewards, .get("/v1/coins/transfers"), by: .account, effect: .read, requirements: ["REW-2"],
    "List the coins that came to the account or left it, newest first.")
}

/// Steps became coins (REW-1).
public struct CoinsEarned: Event, Hashable {
  /// Whose coins.
  public var accountID: AccountID
  /// The transfer that moved them.
  public var transferID: TransferID
  /// How many were earned.
  public var coins: Int
  /// How many the account had then.
  public var balance: Int
  /// When.
  public var at: Instant

  /// The event from its parts.
  public init(accountID: AccountID, transferID: TransferID, coins: Int, balance: Int, at: Instant) {
    self.accountID = accountID
    self.transferID = transferID
    self.coins = coins
    self.balance = balance
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "Whose coins.", "transferID": "The transfer that moved them.", "coins": "How many were earned.",
    "balance": "How many the account had then.", "at": "When.",
  ]

  public static let spec = EventSpec("coins.earned", by: .rewards, requirements: ["REW-1"], "Steps became coins.")
}

/// Steps were corrected downwards, and their coins taken back as far as the balance went (REW-1).
public struct CoinsCorrected: Event, Hashable {
  /// Whose coins.
  public var accountID: AccountID
  /// The transfer that moved them.
  public var transferID: TransferID
  /// How many were taken back.
  public var coins: Int
  /// How many the account had then.
  public var balance: Int
  /// When.
  public var at: Instant

  /// The event from its parts.
  public init(accountID: AccountID, transferID: TransferID, coins: Int, balance: Int, at: Instant) {
    self.accountID = accountID
    self.transferID = transferID
    self.coins = coins
    self.balance = balance
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "Whose coins.", "transferID": "The transfer that moved them.", "coins": "How many were taken back.",
    "balance": "How many the account had then.", "at": "When.",
  ]

  public static let spec = EventSpec(
    "coins.corrected", by: .rewards, requirements: ["REW-1"],
    "Steps were corrected downwards, and their coins taken back as far as the balance went.")
}
