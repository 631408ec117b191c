import GRDB
import Operations
import RewardsContract
import Storage

/// A transfer's change of a lot: positive if coins are added, negative if they are taken.
struct LotMove: Hashable, Sendable {
  let lot: Int64
  let coins: Int
}

/// The lots of a person's coins: coins of one cause that were credited together, or for the same day of steps, and that expire together
/// (REW-2).
///
/// The remaining coins of a person's lots add up to the balance, and the moves of a transfer to its coins. The first transfer of a lot says
/// what its coins are for.
enum CoinLotStore {
  /// An expired lot with remaining coins.
  struct Ended: Sendable {
    let id: Int64
    let rest: Int
    let endsAt: Instant
    let cause: TransferCause
  }

  /// The unexpired lots to which coins for days of steps are added, where there are any: for each day the one that expires last.
  static func lots(
    of person: LedgerStore.Person, for days: ClosedRange<LocalDay>, _ transaction: Transaction
  ) throws -> [LocalDay: Int64] {
    var found: [LocalDay: Int64] = [:]
    try transaction.database.each(
      """
      SELECT day, lot_id FROM coin_lots WHERE ledger_account_id = ? AND day BETWEEN ? AND ? AND ends_at > ?
      ORDER BY day, ends_at
      """, .integer(person.id.value), .day(days.lowerBound), .day(days.upperBound), .instant(transaction.now)
    ) {
      found[$0.day(0)] = Int64($0.number(1))
      return true
    }
    return found
  }

  /// Opens a lot, for a day of steps if one is given.
  static func open(
    of person: LedgerStore.Person, for day: LocalDay?, endingAt end: Instant, _ transaction: Transaction
  ) throws -> Int64 {
    try transaction.database.run(
      "INSERT INTO coin_lots (ledger_account_id, day, ends_at) VALUES (?, ?, ?)", .integer(person.id.value),
      day.map { .day($0) } ?? .null, .instant(end))
    return transaction.database.lastInsertedRowID
  }

  /// Decides from which lots to take coins: first from the given ones and those of the day, then from those that expire first.
  ///
  /// - Parameter coins: at most the person's balance.
  static func take(
    _ coins: Int, of person: LedgerStore.Person, ofDay day: LocalDay?, first lots: [Int64] = [], in database: Database
  ) throws -> [LotMove] {
    var moves: [LotMove] = []
    var (missing, known) = (coins, Set<Int64>())
    func take(_ row: Columns) -> Bool {
      let lot = Int64(row.number(0))
      guard missing > 0 else { return false }
      guard !known.contains(lot) else { return true }
      let taken = min(missing, row.number(1))
      moves.append(LotMove(lot: lot, coins: -taken))
      missing -= taken
      return missing > 0
    }
    for lot in lots {
      try database.each(
        "SELECT lot_id, rest FROM coin_lots WHERE lot_id = ? AND ledger_account_id = ? AND rest > 0", .integer(lot),
        .integer(person.id.value), read: take)
    }
    known = Set(moves.map(\.lot))
    if let day {
      try database.each(
        "SELECT lot_id, rest FROM coin_lots WHERE ledger_account_id = ? AND day = ? AND rest > 0 ORDER BY ends_at, lot_id",
        .integer(person.id.value), .day(day), read: take)
      known = Set(moves.map(\.lot))
    }
    try database.each(
      "SELECT lot_id, rest FROM coin_lots WHERE ledger_account_id = ? AND rest > 0 ORDER BY ends_at, lot_id",
      .integer(person.id.value), read: take)
    guard missing == 0 else {
      throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "the lots of \(person.id) hold fewer coins than its balance")
    }
    return moves
  }

  /// How many coins of a lot are left.
  static func rest(_ lot: Int64, in database: Database) throws -> Int {
    try database.first("SELECT rest FROM coin_lots WHERE lot_id = ?", .integer(lot)) { $0.number(0) } ?? 0
  }

  /// Extends an expired lot, and lets its end be announced again.
  static func revive(_ lot: Int64, _ transaction: Transaction) throws {
    let now = transaction.now
    try transaction.database.run(
      "UPDATE coin_lots SET ends_at = ?, is_announced = 0 WHERE lot_id = ? AND ends_at <= ?",
      .instant(CoinExpiry.end(of: now, refundedAt: now)), .integer(lot), .instant(now))
  }

  /// A person's expired lots with remaining coins: usually none.
  static func ended(of person: LedgerStore.Person, at now: Instant, in database: Database) throws -> [Ended] {
    let isAny = try database.first(
      "SELECT 1 FROM coin_lots WHERE ledger_account_id = ? AND rest > 0 AND ends_at <= ? LIMIT 1", .integer(person.id.value),
      .instant(now)
    ) { _ in true }
    guard isAny == true else { return [] }
    let statement = try database.cachedStatement(
      sql: """
        SELECT l.lot_id, l.rest, l.ends_at, t.cause, t.day, t.subject, t.title, t.spanish_title FROM coin_lots l
        JOIN transfers t ON t.number = (SELECT min(number) FROM lot_moves m WHERE m.lot_id = l.lot_id)
        WHERE l.ledger_account_id = ? AND l.rest > 0 AND l.ends_at <= ? ORDER BY l.ends_at, l.lot_id
        """)
    return try Row.fetchAll(statement, arguments: [person.id.value, now]).map {
      Ended(id: $0["lot_id"], rest: $0["rest"], endsAt: $0["ends_at"], cause: try TransferCause($0))
    }
  }

  /// A person's expired coins that have not been removed yet, and the coins that expire next.
  static func ending(
    of person: LedgerStore.Person, at now: Instant, in database: Database
  ) throws -> (ended: Int, next: ExpiringCoins?) {
    var (ended, next): (Int, ExpiringCoins?) = (0, nil)
    try database.each(
      "SELECT ends_at, rest FROM coin_lots WHERE ledger_account_id = ? AND rest > 0 ORDER BY ends_at, lot_id",
      .integer(person.id.value)
    ) { row in
      let (end, rest) = (row.instant(0), row.number(1))
      if end <= now {
        ended += rest
        return true
      }
      guard end < .endOfTime, next == nil || next?.expiresAt == end else { return false }
      next = ExpiringCoins(coins: (next?.coins ?? 0) + rest, expiresAt: end)
      return true
    }
    return (ended, next)
  }

  // MARK: - What is due

  /// Removes expired coins.
  ///
  /// - Returns: the number of accounts processed.
  static func expireDue(limit: Int, _ transaction: Transaction) throws -> Int {
    let due = try AccountID.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT DISTINCT a.account_id FROM coin_lots l JOIN ledger_accounts a USING (ledger_account_id)
          WHERE l.rest > 0 AND l.ends_at < \(Instant.endOfTime.milliseconds) AND l.ends_at <= ? LIMIT ?
          """), arguments: [transaction.now, limit])
    for account in due { try LedgerStore.expire(LedgerStore.person(account, in: transaction.database), transaction) }
    return due.count
  }

  /// Notifies owners of coins that expire soon.
  ///
  /// - Returns: the number of lots processed.
  static func announceDue(limit: Int, _ expiry: CoinExpiry, _ transaction: Transaction) throws -> Int {
    guard expiry.noticeDays > 0 else { return 0 }
    let due = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT l.lot_id, l.rest, l.ends_at, a.account_id FROM coin_lots l JOIN ledger_accounts a USING (ledger_account_id)
          WHERE l.rest > 0 AND l.ends_at < \(Instant.endOfTime.milliseconds) AND l.ends_at <= ? AND l.is_announced = 0
          ORDER BY l.ends_at LIMIT ?
          """), arguments: [transaction.now.adding(seconds: expiry.noticeDays * 86_400), limit])
    for row in due {
      try transaction.database.run("UPDATE coin_lots SET is_announced = 1 WHERE lot_id = ?", .integer(row["lot_id"]))
      try transaction.publish(
        CoinsExpiring(
          noticeID: CoinsExpiringID(), accountID: row["account_id"], coins: row["rest"], endsAt: row["ends_at"],
          at: transaction.now))
    }
    return due.count
  }
}

/// A transfer of a person's coins, with its changes of lots.
struct LotTransfer: Sendable {
  let account: AccountID
  let cause: TransferCause
  let at: Instant
  let moves: [LotMove]

  /// Returns the transfer with that id; nil where its person was erased.
  static func find(_ id: TransferID, in database: Database) throws -> LotTransfer? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT a.account_id, t.number, t.at, t.cause, t.day, t.subject, t.title, t.spanish_title FROM transfers t
        JOIN ledger_accounts a ON a.ledger_account_id IN (t.debit_id, t.credit_id)
        WHERE t.transfer_id = ? AND a.account_id IS NOT NULL AND a.erased_at IS NULL
        """)
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    let moves = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT lot_id, coins FROM lot_moves WHERE number = ? ORDER BY lot_id"),
      arguments: [row["number"] as Int64])
    return LotTransfer(
      account: row["account_id"], cause: try TransferCause(row), at: row["at"],
      moves: moves.map { LotMove(lot: $0["lot_id"], coins: $0["coins"]) })
  }
}
