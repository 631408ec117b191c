import GRDB
import Operations
import RewardsContract
import ServiceKit

extension Ledger {
  /// The whole ledger as events, for listeners without history: each person's transfers in order, as they were told when they were
  /// made. An offer's title is that of now.
  ///
  /// The key is the last person's number in the ledger.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    var person = key.flatMap { Int64($0) } ?? 0
    var events: [any Event] = []
    while events.count < SnapshotParts.pageSize {
      let next = try Row.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT ledger_account_id, account_id FROM ledger_accounts
            WHERE kind = 'person' AND ledger_account_id > ? ORDER BY ledger_account_id LIMIT 1
            """), arguments: [person])
      guard let next else { return (events, nil) }
      person = next["ledger_account_id"]
      events += try history(of: next["account_id"], person, in: database)
    }
    return (events, person.description)
  }

  private static func history(of account: AccountID, _ person: Int64, in database: Database) throws -> [any Event] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT t.transfer_id, t.kind, t.coins, t.at, sum(moved.coins) OVER (ORDER BY t.transfer_id) AS balance,
          r.redemption_id, r.offer_id, o.title
        FROM (
          SELECT transfer_id, -coins AS coins FROM transfers WHERE debit_id = :person
          UNION ALL
          SELECT transfer_id, coins FROM transfers WHERE credit_id = :person
        ) moved
        JOIN transfers t ON t.transfer_id = moved.transfer_id
        LEFT JOIN redemptions r ON r.transfer_id = t.transfer_id
        LEFT JOIN offers o ON o.offer_id = r.offer_id
        ORDER BY t.transfer_id
        """)
    return try Row.fetchAll(statement, arguments: ["person": person]).map { row in
      let (id, coins, balance): (TransferID, Int, Int) = (row["transfer_id"], row["coins"], row["balance"])
      switch row["kind"] as Transfer.Kind {
      case .earned: return CoinsEarned(accountID: account, transferID: id, coins: coins, balance: balance, at: row["at"])
      case .corrected: return CoinsCorrected(accountID: account, transferID: id, coins: coins, balance: balance, at: row["at"])
      case .redeemed:
        return OfferRedeemed(
          accountID: account, offerID: row["offer_id"], redemptionID: row["redemption_id"], title: row["title"], coins: coins,
          balance: balance, at: row["at"])
      }
    }
  }
}
