import Operations
import RewardsContract
import ServiceKit
import Storage

/// A person's transfers for days of steps, one after the other in one transaction: what they have in common is read once for all of them.
struct DayTransfers {
  private(set) var person: LedgerStore.Person
  /// What the transfers add to the scores of leaderboards: for the caller to write when all are made.
  private(set) var scores = ScoreChanges()
  private let days: ClosedRange<LocalDay>
  private let expiry: CoinExpiry
  private let transaction: Transaction
  /// Coins that have ended and are still in the balance, once they were looked for: the first transfer takes them away.
  private var ended: Int?
  private var system: LedgerStore.AccountNumber?
  private var lots: [LocalDay: Int64]?

  /// Opens the person's side of the ledger if there is none yet.
  ///
  /// - Parameter days: all that there will be transfers for.
  init(of account: AccountID, for days: ClosedRange<LocalDay>, expiry: CoinExpiry, _ transaction: Transaction) throws {
    person = try LedgerStore.person(account, in: transaction.database)
    self.days = days
    self.expiry = expiry
    self.transaction = transaction
  }

  /// How many coins there are to take back.
  mutating func balance() throws -> Int {
    if let ended { return person.balance - ended }
    let lots = try CoinLotStore.ended(of: person, at: transaction.now, in: transaction.database)
    let ended = lots.reduce(0) { $0 + $1.rest }
    self.ended = ended
    return person.balance - ended
  }

  /// Coins come for a day, into the day's lot, or go back if negative: from the day's lots first, and at most as many as there are.
  /// Publishes it.
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

  /// The lot that coins of a day are to come into.
  private mutating func lot(of day: LocalDay) throws -> Int64 {
    let known = try lots ?? CoinLotStore.lots(of: person, for: days, transaction)
    let lot = try known[day] ?? CoinLotStore.open(of: person, for: day, endingAt: expiry.end(from: transaction.now), transaction)
    lots = known
    lots?[day] = lot
    return lot
  }
}
