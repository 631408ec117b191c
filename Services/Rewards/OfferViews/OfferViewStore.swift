import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// How often partners' offers were viewed, redeemed and used, by UTC day. The viewers are stored until the day is over, so that each counts
/// once.
enum OfferViewStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "offers' figures") { database in
      try database.execute(
        sql: """
          CREATE TABLE offer_figures (
            offer_id BLOB NOT NULL REFERENCES offers (offer_id),
            day INTEGER NOT NULL,
            views INTEGER NOT NULL DEFAULT 0,
            redemptions INTEGER NOT NULL DEFAULT 0,
            uses INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (offer_id, day)
          ) STRICT, WITHOUT ROWID;

          -- Of the present day only.
          CREATE TABLE offer_viewers (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            day INTEGER NOT NULL,
            offer_id BLOB NOT NULL REFERENCES offers (offer_id),
            PRIMARY KEY (account_id, day, offer_id)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX offer_viewers_by_day ON offer_viewers (day);
          """)
    }
  }

  /// The UTC day of an instant.
  static func day(of instant: Instant) -> LocalDay { LocalCalendar.day(instant.milliseconds) }

  /// Whether the account has viewed the offer today.
  static func hasSeen(_ offer: OfferID, _ call: AccountCall, in database: Database) throws -> Bool {
    try database.first(
      "SELECT 1 FROM offer_viewers WHERE account_id = ? AND day = ? AND offer_id = ?", .id(call.account), .day(day(of: call.now)),
      .id(offer)
    ) { _ in true } ?? false
  }

  /// Counts the account's view of the offer, once a day.
  static func count(_ offer: OfferID, _ call: AccountCall, _ transaction: Transaction) throws {
    let database = transaction.database
    guard try !database.isErased(call.account) else { return }
    try database.run(
      "INSERT INTO offer_viewers (account_id, day, offer_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", .id(call.account),
      .day(day(of: transaction.now)), .id(offer))
    if database.changesCount > 0 { try add("views", of: offer, at: transaction.now, in: database) }
  }

  static func countRedemption(of offer: OfferID, _ transaction: Transaction) throws {
    try add("redemptions", of: offer, at: transaction.now, in: transaction.database)
  }

  static func countUse(of offer: OfferID, _ transaction: Transaction) throws {
    try add("uses", of: offer, at: transaction.now, in: transaction.database)
  }

  private static func add(_ column: String, of offer: OfferID, at now: Instant, in database: Database) throws {
    try database.run(
      """
      INSERT INTO offer_figures (offer_id, day, \(column)) VALUES (?, ?, 1)
      ON CONFLICT (offer_id, day) DO UPDATE SET \(column) = \(column) + 1
      """, .id(offer), .day(day(of: now)))
  }

  /// Deletes the viewers of past days.
  ///
  /// - Returns: the number of rows deleted.
  static func forgetViewers(limit: Int, _ transaction: Transaction) throws -> Int {
    try transaction.database.run(
      """
      DELETE FROM offer_viewers WHERE (account_id, day, offer_id) IN (
        SELECT account_id, day, offer_id FROM offer_viewers WHERE day < ? LIMIT ?)
      """, .day(day(of: transaction.now)), .number(limit))
    return transaction.database.changesCount
  }

  /// The statistics of a partner's offers, or of one of them.
  static func statistics(
    of partner: PartnerID, _ input: GetOfferStatistics.Input, in database: Database
  ) throws -> [OfferStatistics] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT f.day, sum(f.views) AS views, sum(f.redemptions) AS redemptions, sum(f.uses) AS uses
        FROM offers o JOIN offer_figures f ON f.offer_id = o.offer_id AND f.day BETWEEN :from AND :to
        WHERE o.partner_id = :partner AND (:offer IS NULL OR o.offer_id = :offer) GROUP BY f.day ORDER BY f.day
        """)
    let rows = try Row.fetchAll(
      statement, arguments: ["partner": partner, "offer": input.offerID, "from": input.from, "to": input.to])
    return rows.map {
      OfferStatistics(day: $0["day"], views: $0["views"], redemptions: $0["redemptions"], uses: $0["uses"])
    }
  }
}
