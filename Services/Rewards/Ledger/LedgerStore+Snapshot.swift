import GRDB
import Operations
import RewardsContract
import ServiceKit

extension LedgerStore {
  /// The whole ledger as events, for subscribers without history: each person's transfers in order, as they were published when
  /// they were made. An offer's title is that of now. What belonged to deleted accounts is not published.
  ///
  /// The key is the person's number in the ledger, the last transfer published and the balance after it.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(separator: "/").map(String.init) ?? []
    var person = pieces.first.flatMap { Int64($0) } ?? 0
    var last = try pieces.count == 3 ? TransferID(text: pieces[1]) : .placeholder
    var balance = pieces.count == 3 ? Int(pieces[2]) ?? 0 : 0
    var events: [any Event] = []
    while true {
      let room = SnapshotParts.pageSize - events.count
      let history = try history(of: person, after: last, balance: balance, atMost: room, in: database)
      events += history.events
      if history.events.count == room { return (events, "\(person)/\(history.last)/\(history.balance)") }
      let next = try Int64.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT ledger_account_id FROM ledger_accounts
            WHERE kind = 'person' AND erased_at IS NULL AND ledger_account_id > ? ORDER BY ledger_account_id LIMIT 1
            """), arguments: [person])
      guard let next else { return (events, nil) }
      (person, last, balance) = (next, .placeholder, 0)
    }
  }

  /// A person's transfers after that one, which left that balance; and the last of them with the balance after it.
  private static func history(
    of person: Int64, after: TransferID, balance: Int, atMost count: Int, in database: Database
  ) throws -> (events: [any Event], last: TransferID, balance: Int) {
    let statement = try database.cachedStatement(
      sql: """
        SELECT t.transfer_id, t.kind, t.coins, t.at, moved.coins AS moved, r.redemption_id, r.offer_id, o.title,
          (SELECT account_id FROM ledger_accounts WHERE ledger_account_id = :person) AS account_id
        FROM (
          SELECT transfer_id, -coins AS coins FROM transfers WHERE debit_id = :person AND transfer_id > :after
          UNION ALL
          SELECT transfer_id, coins FROM transfers WHERE credit_id = :person AND transfer_id > :after
          ORDER BY transfer_id LIMIT :count
        ) moved
        JOIN transfers t ON t.transfer_id = moved.transfer_id
        LEFT JOIN redemptions r ON r.transfer_id = t.transfer_id
        LEFT JOIN offers o ON o.offer_id = r.offer_id
        ORDER BY t.transfer_id
        """)
    var (last, balance) = (after, balance)
    let rows = try Row.fetchAll(statement, arguments: ["person": person, "after": after, "count": count])
    let events = rows.map { row -> any Event in
      let (account, id, coins): (AccountID, TransferID, Int) = (row["account_id"], row["transfer_id"], row["coins"])
      last = id
      balance += row["moved"] as Int
      switch row["kind"] as Transfer.Kind {
      case .earned: return CoinsEarned(accountID: account, transferID: id, coins: coins, balance: balance, at: row["at"])
      case .corrected: return CoinsCorrected(accountID: account, transferID: id, coins: coins, balance: balance, at: row["at"])
      case .redeemed:
        return OfferRedeemed(
          accountID: account, offerID: row["offer_id"], redemptionID: row["redemption_id"], title: row["title"], coins: coins,
          balance: balance, at: row["at"])
      }
    }
    return (events, last, balance)
  }
}
