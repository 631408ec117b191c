import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// The offers of all partners.
enum OfferStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "offers") { database in
      try database.execute(
        sql: """
          CREATE TABLE offers (
            offer_id BLOB NOT NULL PRIMARY KEY CHECK (length(offer_id) = 16),
            title TEXT NOT NULL CHECK (title <> ''),
            reward TEXT NOT NULL CHECK (reward <> ''),
            partner_name TEXT NOT NULL CHECK (partner_name <> ''),
            cost_coins INTEGER NOT NULL CHECK (cost_coins >= 1),
            stock INTEGER NOT NULL CHECK (stock >= 1),
            remaining INTEGER NOT NULL CHECK (remaining BETWEEN 0 AND stock),
            valid_from INTEGER NOT NULL,
            valid_until INTEGER NOT NULL CHECK (valid_until > valid_from)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX offers_by_end ON offers (valid_until, offer_id);
          """)
    }
  }

  /// Keeps an offer, unless there is one of that id.
  ///
  /// - Returns: whether it is new.
  @discardableResult
  static func add(_ id: OfferID, _ input: CreateOffer.Input, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO offers (offer_id, title, reward, partner_name, cost_coins, stock, remaining, valid_from, valid_until)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (offer_id) DO NOTHING
        """)
    try statement.execute(arguments: [
      id, input.title, input.reward, input.partnerName, input.costCoins, input.stock, input.stock, input.validFrom,
      input.validUntil,
    ])
    return database.changesCount > 0
  }

  static func find(_ id: OfferID, in database: Database) throws -> Offer {
    let statement = try database.cachedStatement(sql: "SELECT * FROM offers WHERE offer_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { throw OfferFailure.notFound }
    return Offer(row)
  }

  /// The offers that are valid now: those that end first before the others.
  static func valid(at now: Instant, _ page: PageRequest, in database: Database) throws -> Page<Offer> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM offers WHERE valid_until > :now AND valid_from <= :now AND (valid_until, offer_id) > (:until, :offer)
        ORDER BY valid_until, offer_id LIMIT :limit
        """)
    let position = try page.cursor(OfferPosition.init(text:))
    let found = try Row.fetchAll(
      statement,
      arguments: [
        "now": now, "until": position?.validUntil ?? now, "offer": position?.offerID ?? .placeholder, "limit": page.fetchLimit,
      ])
    return page.page(of: found, key: OfferPosition.init, item: Offer.init)
  }

  /// Takes one piece of an offer, if it can be had now.
  static func take(_ id: OfferID, at now: Instant, in database: Database) throws -> Offer {
    let offer = try find(id, in: database)
    guard offer.validFrom <= now, now < offer.validUntil else { throw OfferFailure.notValid }
    guard offer.remaining > 0 else { throw OfferFailure.soldOut }
    try database.cachedStatement(sql: "UPDATE offers SET remaining = remaining - 1 WHERE offer_id = ?").execute(arguments: [id])
    return offer
  }
}

/// An offer's position in the list of the valid ones: `<end in milliseconds>.<id>`.
private struct OfferPosition: CustomStringConvertible {
  let validUntil: Instant
  let offerID: OfferID

  init(_ row: Row) {
    validUntil = row["valid_until"]
    offerID = row["offer_id"]
  }

  init(text: String) throws(FieldRule) {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let milliseconds = Int64(parts[0]) else { throw PageCursor.invalid }
    validUntil = Instant(milliseconds: milliseconds)
    offerID = try OfferID(text: String(parts[1]))
  }

  var description: String { "\(validUntil.milliseconds).\(offerID)" }
}

extension Offer {
  init(_ row: Row) {
    self.init(
      id: row["offer_id"], title: row["title"], reward: row["reward"], partnerName: row["partner_name"],
      costCoins: row["cost_coins"], remaining: row["remaining"], validFrom: row["valid_from"], validUntil: row["valid_until"])
  }
}
