import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

extension LedgerStore {
  /// A person's spendable coins, and those that expire next.
  static func balance(
    of account: AccountID, at now: Instant, in database: Database
  ) throws -> (coins: Int, nextExpiry: ExpiringCoins?) {
    guard let person = try find(account, in: database) else { return (0, nil) }
    let (ended, next) = try CoinLotStore.ending(of: person, at: now, in: database)
    return (person.balance - ended, next)
  }

  /// What a person earned and spent in a period, less coins taken back and refunded. Reads backwards, no further than the period.
  static func sums(
    of account: AccountID, from: Instant, until: Instant, in database: Database
  ) throws -> (earned: Int, spent: Int) {
    guard let person = try find(account, in: database)?.id else { return (0, 0) }
    var (earned, spent) = (0, 0)
    for (column, sign) in [("credit_id", 1), ("debit_id", -1)] {
      try database.each(
        "SELECT kind, coins, at FROM transfers WHERE \(column) = ? ORDER BY number DESC", .integer(person.value)
      ) { row in
        let at = row.instant(2)
        if at < from { return false }
        guard at < until else { return true }
        switch Transfer.Kind(rawValue: row.text(0)) {
        case .earned, .corrected, .challengeReward, .challengeRewardReversed: earned += sign * row.number(1)
        case .redeemed, .refunded: spent -= sign * row.number(1)
        case .adjusted, .expired, nil: break
        }
        return true
      }
    }
    return (earned, spent)
  }

  /// A person's transfers, newest first, with what each was for.
  static func history(
    of account: AccountID, _ page: PageRequest, _ language: Language, in database: Database
  ) throws -> Page<Transfer> {
    guard let person = try find(account, in: database)?.id else { return Page(items: []) }
    // Each half is read from its own index, newest first, and no further than the page.
    let statement = try database.cachedStatement(
      sql: """
        SELECT t.*, iif(t.credit_id = :person, t.coins, -t.coins) AS change, sum(l.rest) AS rest, max(l.ends_at) AS ends_at
        FROM (
          SELECT * FROM (
            SELECT number FROM transfers WHERE debit_id = :person AND number < :before ORDER BY number DESC LIMIT :limit)
          UNION ALL
          SELECT * FROM (
            SELECT number FROM transfers WHERE credit_id = :person AND number < :before ORDER BY number DESC LIMIT :limit)
          ORDER BY number DESC LIMIT :limit
        ) moved
        JOIN transfers t ON t.number = moved.number
        LEFT JOIN lot_moves m ON m.number = t.number AND m.coins > 0
        LEFT JOIN coin_lots l ON l.lot_id = m.lot_id
        GROUP BY t.number ORDER BY t.number DESC
        """)
    let found = try Row.fetchAll(
      statement, arguments: ["person": person.value, "before": try page.before, "limit": page.fetchLimit])
    return try page.page(of: found, key: { $0["number"] as Int64 }) { try Transfer($0, language) }
  }

  /// One of a person's transfers, as its history shows it.
  static func transfer(
    _ id: TransferID, of account: AccountID, _ language: Language, in database: Database
  ) throws -> Transfer? {
    guard let person = try find(account, in: database)?.id else { return nil }
    let statement = try database.cachedStatement(
      sql: """
        SELECT t.*, iif(t.credit_id = :person, t.coins, -t.coins) AS change, sum(l.rest) AS rest, max(l.ends_at) AS ends_at
        FROM transfers t
        LEFT JOIN lot_moves m ON m.number = t.number AND m.coins > 0
        LEFT JOIN coin_lots l ON l.lot_id = m.lot_id
        WHERE t.transfer_id = :transfer AND :person IN (t.debit_id, t.credit_id) GROUP BY t.number
        """)
    return try Row.fetchOne(statement, arguments: ["person": person.value, "transfer": id]).map { try Transfer($0, language) }
  }
}

extension Transfer {
  init(_ row: Row, _ language: Language) throws {
    let cause = try TransferCause(row)
    let end = row["ends_at"] as Instant?
    let lot = (row["rest"] as Int?).map { Lot(remaining: $0, expiresAt: end == .endOfTime ? nil : end) }
    self.init(
      id: row["transfer_id"], kind: row["kind"], coins: row["change"], at: row["at"], day: cause.day,
      title: cause.title(language),
      reason: cause.reason, lot: lot)
  }
}
