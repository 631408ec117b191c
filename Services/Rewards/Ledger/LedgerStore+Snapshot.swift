import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

extension LedgerStore {
  /// The whole ledger as events, for subscribers without history: each person's transfers in order, as published when they were made.
  /// Transfers of deleted accounts are not published.
  ///
  /// The key consists of the person's number in the ledger, the number of the last published transfer and the balance after it.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(separator: "/").compactMap { Int64($0) } ?? []
    // A key of an earlier version starts again: subscribers count each transfer once.
    var (person, last, balance) = pieces.count == 3 ? (pieces[0], pieces[1], Int(pieces[2])) : (0, 0, 0)
    var events: [any Event] = []
    while true {
      let room = SnapshotParts.pageSize - events.count
      let history = try history(of: person, after: last, balance: balance, atMost: room, in: database)
      events += history.events
      if history.count == room { return (events, "\(person)/\(history.last)/\(history.balance)") }
      let next = try Int64.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT ledger_account_id FROM ledger_accounts
            WHERE kind = 'person' AND erased_at IS NULL AND ledger_account_id > ?
              AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = ledger_accounts.account_id)
            ORDER BY ledger_account_id LIMIT 1
            """), arguments: [person])
      guard let next else { return (events, nil) }
      (person, last, balance) = (next, 0, 0)
    }
  }

  /// A person's transfers after the given one and its balance; and the last of them with the balance after it. None of one who is being
  /// erased.
  private static func history(
    of person: Int64, after: Int64, balance: Int, atMost count: Int, in database: Database
  ) throws -> (events: [any Event], count: Int, last: Int64, balance: Int) {
    let statement = try database.cachedStatement(
      sql: """
        SELECT t.*, iif(t.credit_id = :person, t.coins, -t.coins) AS change, r.redemption_id, r.offer_id,
          (SELECT account_id FROM ledger_accounts WHERE ledger_account_id = :person) AS account_id
        FROM (
          SELECT number FROM transfers WHERE debit_id = :person AND number > :after
          UNION ALL
          SELECT number FROM transfers WHERE credit_id = :person AND number > :after
          ORDER BY number LIMIT :count
        ) moved
        JOIN transfers t ON t.number = moved.number
        LEFT JOIN redemptions r ON r.transfer_id = t.transfer_id
        WHERE NOT EXISTS (
          SELECT 1 FROM erasures JOIN ledger_accounts USING (account_id) WHERE ledger_account_id = :person)
        ORDER BY t.number
        """)
    var (last, balance) = (after, balance)
    let rows = try Row.fetchAll(statement, arguments: ["person": person, "after": after, "count": count])
    let events = try rows.compactMap { row -> (any Event)? in
      last = row["number"]
      balance += row["change"] as Int
      let entry = LedgerEntry(
        id: row["transfer_id"], account: row["account_id"], kind: row["kind"], cause: try TransferCause(row),
        change: row["change"], balance: balance, at: row["at"])
      guard entry.kind == .redeemed, let offer = row["offer_id"] as OfferID? else { return entry.event }
      return OfferRedeemed(
        accountID: entry.account, offerID: offer, redemptionID: row["redemption_id"], title: row["title"] ?? "",
        coins: abs(entry.change), balance: balance, at: entry.at)
    }
    return (events, rows.count, last, balance)
  }
}
