public import GRDB
import Operations
public import RewardsContract
import ServiceKit
import Storage

/// The double-entry ledger (REW-2): every coin is debited from one account and credited to another, so that all balances add up to zero.
///
/// Transfers are numbered without gaps. Each has a cause (``TransferCause``), and a reference that prevents it from being booked twice. A
/// person's coins are kept in lots (``CoinLotStore``), and a person's balance is never negative. The schema itself enforces all this;
/// ``LedgerCheck`` verifies it.
///
/// Coins are moved by ``reward(_:to:for:reference:expiry:calendars:_:)`` and ``takeBackReward(_:reference:calendars:_:)`` for challenges,
/// ``grant(_:to:for:reference:expiry:_:)`` and ``takeBack(_:of:for:reference:first:_:)`` for administrators,
/// ``spend(_:of:for:reference:_:)``, ``refund(_:reference:_:)`` and ``expire(_:_:)``; and by ``DayTransfers`` for days of steps. Each
/// publishes its transfers, except for a spending, which its feature publishes. Transfers of challenges count on leaderboards.
enum LedgerStore {
  /// A ledger account: one side of a transfer.
  struct AccountNumber: Hashable, Sendable, CustomStringConvertible {
    let value: Int64

    var description: String { value.description }
  }

  /// A person's ledger account.
  struct Person: Hashable, Sendable {
    let id: AccountNumber
    let account: AccountID
    /// Includes expired coins that were not removed yet.
    var balance: Int
  }

  /// A transfer that was made.
  struct Booking: Hashable, Sendable {
    let transferID: TransferID
    /// How many coins it moved.
    let coins: Int
    /// The person's balance after the transfer.
    let balance: Int
  }

  /// Returns a person's ledger account, opened if there is none yet.
  static func person(_ account: AccountID, in database: Database) throws -> Person {
    if let found = try find(account, in: database) { return found }
    try database.run("INSERT INTO ledger_accounts (kind, account_id) VALUES ('person', ?)", .id(account))
    return Person(id: AccountNumber(value: database.lastInsertedRowID), account: account, balance: 0)
  }

  /// Returns a person's ledger account; nil where no coin ever moved.
  static func find(_ account: AccountID, in database: Database) throws -> Person? {
    try database.first("SELECT ledger_account_id, balance FROM ledger_accounts WHERE account_id = ?", .id(account)) {
      Person(id: AccountNumber(value: Int64($0.number(0))), account: account, balance: $0.number(1))
    }
  }

  /// Returns the system's ledger account of that kind, opened if there is none yet.
  static func systemAccount(_ account: SystemAccount, in database: Database) throws -> AccountNumber {
    let found = try database.first(
      "SELECT ledger_account_id FROM ledger_accounts WHERE kind = ? AND account_id IS NULL", .text(account.rawValue)
    ) { AccountNumber(value: Int64($0.number(0))) }
    if let found { return found }
    try database.run("INSERT INTO ledger_accounts (kind) VALUES (?)", .text(account.rawValue))
    return AccountNumber(value: database.lastInsertedRowID)
  }

  // MARK: - Moving coins

  /// Credits coins from an administrator.
  ///
  /// - Throws: `DatabaseError` where that reference was booked before.
  static func grant(
    _ coins: Int, to account: AccountID, for cause: TransferCause, reference: String, expiry: CoinExpiry,
    _ transaction: Transaction
  ) throws -> Booking {
    try add(coins, to: account, .adjusted, for: cause, reference: reference, expiry: expiry, transaction)
  }

  /// Credits coins for a challenge.
  ///
  /// - Parameter calendars: determine the month in which the coins count on leaderboards.
  /// - Throws: `DatabaseError` where that reference was booked before.
  static func reward(
    _ coins: Int, to account: AccountID, for cause: TransferCause, reference: String, expiry: CoinExpiry,
    calendars: AccountCalendars, _ transaction: Transaction
  ) throws -> Booking {
    let booking = try add(coins, to: account, .challengeReward, for: cause, reference: reference, expiry: expiry, transaction)
    let day = try calendars.day(of: transaction.now, account, in: transaction.database)
    try LeaderboardStore.count(booking.coins, of: account, earnedOn: day, in: transaction.database)
    return booking
  }

  /// Credits coins to a new lot, which expires as configured. Coins for days of steps are credited by ``DayTransfers``.
  private static func add(
    _ coins: Int, to account: AccountID, _ kind: Transfer.Kind, for cause: TransferCause, reference: String, expiry: CoinExpiry,
    _ transaction: Transaction
  ) throws -> Booking {
    let person = try settled(account, transaction)
    let lot = try CoinLotStore.open(of: person, for: nil, endingAt: expiry.end(from: transaction.now), transaction)
    return try book([LotMove(lot: lot, coins: coins)], kind, person, cause, reference, transaction)
  }

  /// Debits coins for an offer, those that expire first. The offer's feature publishes that.
  ///
  /// - Throws: ``OfferFailure/notEnoughCoins``; then nothing has changed. `DatabaseError` where that reference was booked before.
  static func spend(
    _ coins: Int, of account: AccountID, for cause: TransferCause, reference: String, _ transaction: Transaction
  ) throws -> Booking {
    let person = try settled(account, transaction)
    guard person.balance >= coins else { throw OfferFailure.notEnoughCoins }
    let moves = try CoinLotStore.take(coins, of: person, ofDay: nil, in: transaction.database)
    return try book(moves, .redeemed, person, cause, reference, transaction)
  }

  /// Returns the coins of a spending to their lots. A lot that has expired meanwhile is extended by ``CoinExpiry/revivedDays`` days.
  ///
  /// - Returns: nil where the account that spent them was erased.
  /// - Throws: `DatabaseError` where that reference was booked before.
  static func refund(_ spending: TransferID, reference: String, _ transaction: Transaction) throws -> Booking? {
    let database = transaction.database
    guard let spent = try LotTransfer.find(spending, in: database), try !database.isErased(spent.account) else { return nil }
    precondition(spent.moves.allSatisfy { $0.coins < 0 }, "what is refunded was spent")
    let person = try settled(spent.account, transaction)
    for move in spent.moves { try CoinLotStore.revive(move.lot, transaction) }
    let moves = spent.moves.map { LotMove(lot: $0.lot, coins: -$0.coins) }
    return try book(moves, .refunded, person, spent.cause, reference, transaction)
  }

  /// Debits coins for an administrator, at most the balance: from the corrected lots first, then from those that expire first.
  ///
  /// - Parameter lots: the person's lots that are corrected.
  /// - Returns: nil where there are no coins.
  /// - Throws: `DatabaseError` where that reference was booked before.
  static func takeBack(
    _ coins: Int, of account: AccountID, for cause: TransferCause, reference: String, first lots: [Int64] = [],
    _ transaction: Transaction
  ) throws -> Booking? {
    let person = try settled(account, transaction)
    let coins = min(coins, person.balance)
    guard coins > 0 else { return nil }
    let moves = try CoinLotStore.take(coins, of: person, ofDay: nil, first: lots, in: transaction.database)
    return try book(moves, .adjusted, person, cause, reference, transaction)
  }

  /// Takes back the unspent coins of a challenge's reward, and no other coins.
  ///
  /// - Parameter calendars: determine the month in which the coins counted on leaderboards.
  /// - Returns: nil where nothing is left, or where the owner was erased.
  /// - Throws: `DatabaseError` where that reference was booked before.
  static func takeBackReward(
    _ reward: TransferID, reference: String, calendars: AccountCalendars, _ transaction: Transaction
  ) throws -> Booking? {
    let database = transaction.database
    guard let granted = try LotTransfer.find(reward, in: database), try !database.isErased(granted.account) else { return nil }
    let person = try settled(granted.account, transaction)
    let moves = try granted.moves.map { LotMove(lot: $0.lot, coins: -(try CoinLotStore.rest($0.lot, in: database))) }
    guard moves.contains(where: { $0.coins < 0 }) else { return nil }
    let booking = try book(
      moves.filter { $0.coins < 0 }, .challengeRewardReversed, person, granted.cause, reference, transaction)
    let day = try calendars.day(of: granted.at, granted.account, in: database)
    try LeaderboardStore.count(-booking.coins, of: granted.account, earnedOn: day, in: database)
    return booking
  }

  /// How many coins are left of the lot to which a transfer added its coins.
  static func rest(of transfer: TransferID, in database: Database) throws -> Int {
    try LotTransfer.find(transfer, in: database)?.moves.reduce(0) { try $0 + CoinLotStore.rest($1.lot, in: database) } ?? 0
  }

  /// Removes a person's expired coins, with one transfer per lot.
  ///
  /// - Returns: the person afterwards.
  @discardableResult
  static func expire(_ person: Person, _ transaction: Transaction) throws -> Person {
    var person = person
    for lot in try CoinLotStore.ended(of: person, at: transaction.now, in: transaction.database) {
      let booking = try book(
        [LotMove(lot: lot.id, coins: -lot.rest)], .expired, person, lot.cause,
        "expiry/\(lot.id)/\(lot.endsAt.milliseconds)", transaction)
      person.balance = booking.balance
    }
    return person
  }

  /// A person's ledger account, after expired coins were removed.
  private static func settled(_ account: AccountID, _ transaction: Transaction) throws -> Person {
    try expire(person(account, in: transaction.database), transaction)
  }

  // MARK: - Booking

  /// Writes a transfer with its changes of lots, and publishes it unless it is a spending.
  ///
  /// - Parameter moves: all of one sign: positive for a credit to the person, negative for a debit.
  private static func book(
    _ moves: [LotMove], _ kind: Transfer.Kind, _ person: Person, _ cause: TransferCause, _ reference: String,
    _ transaction: Transaction
  ) throws -> Booking {
    let system = try systemAccount(kind.systemAccount, in: transaction.database)
    let entry = try write(moves, kind, person, system, cause, reference, transaction)
    if let event = entry.event { try transaction.publish(event) }
    return Booking(transferID: entry.id, coins: abs(entry.change), balance: entry.balance)
  }

  /// Only writes a transfer with its changes of lots.
  static func write(
    _ moves: [LotMove], _ kind: Transfer.Kind, _ person: Person, _ system: AccountNumber, _ cause: TransferCause,
    _ reference: String, _ transaction: Transaction
  ) throws -> LedgerEntry {
    let database = transaction.database
    let change = moves.reduce(0) { $0 + $1.coins }
    let (debit, credit) = change > 0 ? (system, person.id) : (person.id, system)
    let id = TransferID()
    let values = cause.values
    try database.run(
      """
      INSERT INTO transfers
        (number, transfer_id, kind, debit_id, credit_id, coins, reference, at, \(TransferCause.columns))
      VALUES ((SELECT coalesce(max(number), 0) + 1 FROM transfers), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .id(id), .text(kind.rawValue), .integer(debit.value), .integer(credit.value), .number(abs(change)),
      .text(reference), .instant(transaction.now), .text(values.cause), values.day.map { .day($0) } ?? .null,
      .text(values.subject), .text(values.title), .text(values.spanishTitle))
    let number = database.lastInsertedRowID
    for move in moves {
      try database.run(
        "INSERT INTO lot_moves (number, lot_id, coins) VALUES (?, ?, ?)", .integer(number), .integer(move.lot),
        .number(move.coins))
    }
    return LedgerEntry(
      id: id, account: person.account, kind: kind, cause: cause, change: change, balance: person.balance + change,
      at: transaction.now)
  }
}

extension Transfer.Kind: DatabaseValueConvertible {}
