import GRDB
import Storage

/// Reads what ``LedgerCheck`` verifies.
extension LedgerCheckStore {
  /// The number of the last transfer; 0 where there is none.
  static func lastTransfer(in database: Database) throws -> Int {
    try database.first("SELECT max(number) FROM transfers") { $0.isNull(0) ? 0 : $0.number(0) } ?? 0
  }

  /// The balances of the system's accounts.
  static func systemBalances(in database: Database) throws -> [Int64: Int] {
    var found: [Int64: Int] = [:]
    try database.each("SELECT ledger_account_id, balance FROM ledger_accounts WHERE account_id IS NULL") {
      found[Int64($0.number(0))] = $0.number(1)
      return true
    }
    return found
  }

  /// The transfers after a number, up to another; each with how many coins of lots it `moved`, how many of its moves are of lots of neither
  /// account (`foreign_lots`), and whether it has a cause.
  static func transfers(after number: Int, through end: Int, in database: Database) throws -> [Row] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT t.number, t.kind, t.debit_id, t.credit_id, t.coins, t.cause, t.subject, t.title,
            d.account_id IS NOT NULL AS debits_person, c.account_id IS NOT NULL AS credits_person,
            (SELECT coalesce(sum(m.coins), 0) FROM lot_moves m WHERE m.number = t.number) AS moved,
            (SELECT count(*) FROM lot_moves m JOIN coin_lots l USING (lot_id)
              WHERE m.number = t.number AND l.ledger_account_id NOT IN (t.debit_id, t.credit_id)) AS foreign_lots,
            CASE t.cause
              WHEN 'day' THEN EXISTS (SELECT 1 FROM counted_days
                WHERE account_id = coalesce(d.account_id, c.account_id) AND day = t.day)
              WHEN 'days' THEN t.reference LIKE 'steps/%/%'
              WHEN 'redemption' THEN CASE t.kind
                WHEN 'refunded' THEN EXISTS (SELECT 1 FROM redemptions r WHERE r.refund_id = t.transfer_id AND r.coins = t.coins)
                ELSE EXISTS (SELECT 1 FROM redemptions r WHERE r.transfer_id = t.transfer_id AND r.coins = t.coins)
                  OR t.title = '' AND coalesce(d.erased_at, c.erased_at) IS NOT NULL END
              WHEN 'challenge' THEN CASE t.kind
                WHEN 'challengeReward' THEN EXISTS (SELECT 1 FROM challenge_rewards r WHERE r.transfer_id = t.transfer_id
                  AND lower(hex(r.challenge_id)) = replace(t.subject, '-', ''))
                -- Taken back or expired: from lots that were paid for the same.
                ELSE NOT EXISTS (SELECT 1 FROM lot_moves m WHERE m.number = t.number AND NOT EXISTS (
                  SELECT 1 FROM lot_moves p JOIN transfers paid ON paid.number = p.number
                  JOIN challenge_rewards r ON r.transfer_id = paid.transfer_id
                  WHERE p.lot_id = m.lot_id AND p.number < t.number AND paid.subject = t.subject)) END
              WHEN 'reason' THEN t.title <> '' OR coalesce(d.erased_at, c.erased_at) IS NOT NULL
              ELSE 0 END AS has_cause
          FROM transfers t
          LEFT JOIN ledger_accounts d ON d.ledger_account_id = t.debit_id
          LEFT JOIN ledger_accounts c ON c.ledger_account_id = t.credit_id
          WHERE t.number > ? AND t.number <= ? ORDER BY t.number
          """), arguments: [number, end])
  }

  /// The persons after one: `id`, `balance`, what their transfers add up to (`moved`) and what their lots hold (`held`).
  static func persons(after person: Int64, limit: Int, in database: Database) throws -> [Row] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT a.ledger_account_id AS id, a.balance,
            (SELECT coalesce(sum(coins), 0) FROM transfers WHERE credit_id = a.ledger_account_id)
            - (SELECT coalesce(sum(coins), 0) FROM transfers WHERE debit_id = a.ledger_account_id) AS moved,
            (SELECT coalesce(sum(rest), 0) FROM coin_lots WHERE ledger_account_id = a.ledger_account_id AND rest > 0) AS held
          FROM ledger_accounts a WHERE a.ledger_account_id > ? AND a.account_id IS NOT NULL
          ORDER BY a.ledger_account_id LIMIT ?
          """), arguments: [person, limit])
  }

  /// The lots after one: `lot_id`, `rest`, and what their moves add up to (`moved`).
  static func lots(after lot: Int64, limit: Int, in database: Database) throws -> [Row] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT lot_id, rest, (SELECT coalesce(sum(coins), 0) FROM lot_moves m WHERE m.lot_id = l.lot_id) AS moved
          FROM coin_lots l WHERE lot_id > ? ORDER BY lot_id LIMIT ?
          """), arguments: [lot, limit])
  }
}
