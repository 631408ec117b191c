public import GRDB
import Operations
public import RewardsContract
import ServiceKit
import Storage

/// What accounts gave coins for.
enum RedemptionStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "redemptions") { database in
      try database.execute(
        sql: """
          CREATE TABLE redemptions (
            redemption_id BLOB NOT NULL PRIMARY KEY CHECK (length(redemption_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            offer_id BLOB NOT NULL REFERENCES offers,
            transfer_id BLOB NOT NULL UNIQUE REFERENCES transfers,
            code TEXT NOT NULL UNIQUE,
            coins INTEGER NOT NULL CHECK (coins >= 1),
            redeemed_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE UNIQUE INDEX redemptions_by_account ON redemptions (account_id, redemption_id);
          CREATE INDEX redemptions_by_offer ON redemptions (offer_id);
          """)
    }
  }

  /// Gives coins for an offer, keeps the proof of it and publishes it (REW-5).
  ///
  /// - Throws: ``OfferFailure``; then nothing has changed.
  static func redeem(
    _ offerID: OfferID, for account: AccountID, code: RedemptionCode, _ transaction: Transaction
  ) throws -> Redemption {
    let database = transaction.database
    let offer = try OfferStore.take(offerID, at: transaction.now, in: database)
    let redemption = Redemption(
      id: RedemptionID(), offerID: offerID, title: offer.title, reward: offer.reward, partnerName: offer.partnerName,
      code: code, coins: offer.costCoins, redeemedAt: transaction.now)
    let booking = try LedgerStore.spend(
      offer.costCoins, of: account, for: .redemption(redemption.id, title: offer.title),
      reference: "redemption/\(redemption.id)", transaction)
    try database.cachedStatement(
      sql: """
        INSERT INTO redemptions (redemption_id, account_id, offer_id, transfer_id, code, coins, redeemed_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      redemption.id, account, offerID, booking.transferID, code, redemption.coins, redemption.redeemedAt,
    ])
    try transaction.publish(
      OfferRedeemed(
        accountID: account, offerID: offerID, redemptionID: redemption.id, title: offer.title, coins: offer.costCoins,
        balance: booking.balance, at: transaction.now))
    return redemption
  }

  /// An account's redemptions, newest first.
  static func list(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Redemption> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM redemptions JOIN offers USING (offer_id) WHERE account_id = ? AND redemption_id < ?
        ORDER BY redemption_id DESC LIMIT ?
        """)
    let found = try Row.fetchAll(
      statement, arguments: [account, page.cursor(RedemptionID.init(text:)) ?? .last, page.fetchLimit])
    return page.page(of: found, key: { $0["redemption_id"] as RedemptionID }, item: Redemption.init)
  }
}

extension Redemption {
  init(_ row: Row) {
    self.init(
      id: row["redemption_id"], offerID: row["offer_id"], title: row["title"], reward: row["reward"],
      partnerName: row["partner_name"], code: row["code"], coins: row["coins"], redeemedAt: row["redeemed_at"])
  }
}

extension RedemptionCode: DatabaseValueConvertible {}
