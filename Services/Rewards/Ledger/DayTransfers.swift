import Operations
import RewardsContract
import ServiceKit
import Storage

/// A person's transfers for days of steps in one transaction; data that they share is read once.
struct DayTransfers {
  private(set) var person: LedgerStore.Person
  /// The transfers' changes of leaderboard scores, which the caller writes once all transfers are made.
  private(set) var scores = ScoreChanges()
  private let days: ClosedRange<LocalDay>
  private let expiry: CoinExpiry
  private let transaction: Transaction
  /// Expired coins that are still in the balance, once looked up: the first transfer removes them.
  private var ended: Int?
  private var system: LedgerStore.AccountNumber?
  private var lots: [LocalDay: Int64]?

  /// Opens the person's ledger account if there is none yet.
  ///
  /// - Parameter days: all days for which there will be transfers.
  init(of account: AccountID, for days: ClosedRange<LocalDay>, expiry: CoinExpiry, _ transaction: Transaction) throws {
    person = try LedgerStore.person(account, in: transaction.database)
    self.days = days
    self.expiry = expiry
    self.transaction = transaction
  }

  /// How many coins can be taken back.
  mutating func balance() throws -> Int {
    if let ended { return person.balance - ended }
    let lots = try CoinLotStore.ended(of: person, at: transaction.now, in: transaction.database)
    let ended = lots.reduce(0) { $0 + $1.rest }
    self.ended = ended
    return person.balance - ended
  }

  /// Credits coins for a day to the day's lot, or debits them if negative: from the day's lots first, and at most the balance. Publishes
  /// the transfer.
  ///
  /// - Returns: nil where no coin moves.
  /// - Throws: `DatabaseError` where that reference was booked before.
  @discardableResult
  mutating func move(_ coins: Int, for day: LocalDay, reference: String) throws -> LedgerStore.Booking? {
    let coins = coins < 0 ? max(coins, -(try balance())) : coins
    guard coins != 0 else { return nil }
    if ended != 0 { person = try LedgerStore.expire(person, transaction) }
    ended = 0
    let moves =
      coins > 0
      ? [LotMove(lot: try lot(of: day), coins: coins)]
      : try CoinLotStore.take(-coins, of: person, ofDay: day, in: transaction.database)
    let kind: Transfer.Kind = coins > 0 ? .earned : .corrected
    let system = try system ?? LedgerStore.systemAccount(kind.systemAccount, in: transaction.database)
    self.system = system
    let entry = try LedgerStore.write(moves, kind, person, system, .day(day), reference, transaction)
    person.balance = entry.balance
    scores.add(coins: entry.change, to: LeaderboardRules.month(of: day))
    if let event = entry.event { try transaction.publish(event) }
    return LedgerStore.Booking(transferID: entry.id, coins: abs(entry.change), balance: entry.balance)
  }

  /// The lot to which coins of a day are added.
  private mutating func lot(of day: LocalDay) throws -> Int64 {
    let known = try lots ?? CoinLotStore.lots(of: person, for: days, transaction)
    let lot = try known[day] ?? CoinLotStore.open(of: person, for: day, endingAt: expiry.end(from: transaction.now), transaction)
    lots = known
    lots?[day] = lot
    return lot
  }
}
