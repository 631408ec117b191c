public import GRDB
import Operations
public import RewardsContract
import ServiceKit
import Storage

/// The offers of all partners, and the operator's own.
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

  /// Adds partners, conditions, limits, places and pictures to offers.
  static func partnersMigration(_ number: Int) -> Migration {
    Migration(number, "partners' offers") { database in
      try database.execute(sql: partners + OfferPlaceStore.table)
      let rows = try Row.fetchAll(database, sql: "SELECT offer_id, title, reward, partner_name FROM offers")
      for row in rows {
        try database.execute(
          sql: "UPDATE offers SET search_text = ? WHERE offer_id = ?",
          arguments: [
            searchText(row["title"], row["reward"], partnerName: row["partner_name"]), row["offer_id"] as OfferID,
          ])
      }
    }
  }

  private static let partners = """
    ALTER TABLE offers ADD COLUMN partner_id BLOB REFERENCES partners (partner_id);
    ALTER TABLE offers ADD COLUMN terms TEXT;
    ALTER TABLE offers ADD COLUMN category TEXT;
    ALTER TABLE offers ADD COLUMN limit_in_all INTEGER CHECK (limit_in_all >= 1);
    ALTER TABLE offers ADD COLUMN limit_per_day INTEGER CHECK (limit_per_day >= 1);
    ALTER TABLE offers ADD COLUMN code_valid_days INTEGER CHECK (code_valid_days >= 1);
    ALTER TABLE offers ADD COLUMN state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paused', 'withdrawn'));
    -- Whether lists show it, apart from its time: it is open, and its partner is approved and has an owner.
    ALTER TABLE offers ADD COLUMN is_listed INTEGER NOT NULL DEFAULT 1 CHECK (is_listed IN (0, 1));
    -- Whether it is valid at all places of its partner.
    ALTER TABLE offers ADD COLUMN is_everywhere INTEGER NOT NULL DEFAULT 1 CHECK (is_everywhere IN (0, 1));
    ALTER TABLE offers ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE offers ADD COLUMN picture_tag TEXT CHECK (length(picture_tag) = 32);
    -- As searches compare it.
    ALTER TABLE offers ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
    UPDATE offers SET created_at = valid_from;

    -- A list is a walk along one of these.
    DROP INDEX offers_by_end;
    CREATE INDEX offers_by_end ON offers (valid_until, offer_id) WHERE is_listed;
    CREATE INDEX offers_by_cost ON offers (cost_coins, offer_id) WHERE is_listed;
    CREATE INDEX offers_by_age ON offers (created_at, offer_id) WHERE is_listed;
    CREATE INDEX offers_of_partner ON offers (partner_id, created_at, offer_id) WHERE partner_id IS NOT NULL;

    -- Separate from the offers, so that reading an offer does not read its picture.
    CREATE TABLE offer_pictures (
      offer_id BLOB NOT NULL PRIMARY KEY REFERENCES offers (offer_id),
      media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
      content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288)
    ) STRICT;

    """

  /// The words of an offer in the form used for searches.
  static func searchText(_ title: String, _ reward: String, partnerName: String) -> String {
    SearchText("\(title) \(reward) \(partnerName)").string
  }

  /// A stored offer.
  struct Stored: Sendable {
    let id: OfferID
    let partner: PartnerID?
    let stock: Int
    let state: PartnerOfferState
    let isListed: Bool
    let isEverywhere: Bool
    let createdAt: Instant
    let searchText: String
    /// The offer without its partner's data.
    let offer: Offer

    init(_ row: Row) {
      id = row["offer_id"]
      partner = row["partner_id"]
      stock = row["stock"]
      state = row["state"]
      isListed = row["is_listed"]
      isEverywhere = row["is_everywhere"]
      createdAt = row["created_at"]
      searchText = row["search_text"]
      offer = Offer(row)
    }

    /// How many were redeemed and not voided.
    var takenCount: Int { stock - offer.remaining }
  }

  static func find(_ id: OfferID, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM offers WHERE offer_id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(Stored.init)
  }

  /// - Throws: `offer_not_found`.
  static func required(_ id: OfferID, in database: Database) throws -> Stored {
    guard let found = try find(id, in: database) else { throw OfferFailure.notFound }
    return found
  }

  /// Adds the partner's data to an offer.
  static func complete(_ offer: inout Offer, _ partner: PartnerID?, in database: Database) throws {
    guard let partner else { return }
    offer.partner = try database.first("SELECT about, logo_tag FROM partners WHERE partner_id = ?", .id(partner)) {
      OfferPartner(
        id: partner, about: $0.text(0),
        logoURL: $0.isNull(1) ? nil : PartnerPictureURL(logoOf: partner, tag: $0.text(1)))
    }
  }

  /// Stores an offer of the operator, unless its id already exists.
  ///
  /// - Returns: whether it is new.
  @discardableResult
  static func add(_ id: OfferID, _ input: CreateOffer.Input, at now: Instant, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO offers (offer_id, title, reward, partner_name, cost_coins, stock, remaining, valid_from, valid_until,
          is_listed, created_at, search_text)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (offer_id) DO NOTHING
        """)
    try statement.execute(arguments: [
      id, input.title, input.reward, input.partnerName, input.costCoins, input.stock, input.stock, input.validFrom,
      input.validUntil, input.validUntil > now, now,
      searchText(input.title, input.reward, partnerName: input.partnerName),
    ])
    return database.changesCount > 0
  }

  /// Takes one item of an offer's stock, if the offer can be redeemed now.
  ///
  /// - Throws: ``OfferFailure``.
  static func take(_ id: OfferID, costing cost: Int?, at now: Instant, in database: Database) throws -> Stored {
    let found = try required(id, in: database)
    guard found.offer.validFrom <= now, now < found.offer.validUntil else { throw OfferFailure.notValid }
    guard found.isListed else { throw OfferFailure.paused }
    if let cost, cost != found.offer.costCoins {
      throw OfferFailure.changed.with(["coins": .number(found.offer.costCoins)])
    }
    guard found.offer.remaining > 0 else { throw OfferFailure.soldOut }
    try database.run("UPDATE offers SET remaining = remaining - 1 WHERE offer_id = ?", .id(id))
    return found
  }

  /// Returns one item to the stock.
  static func giveBack(_ id: OfferID, in database: Database) throws {
    try database.run("UPDATE offers SET remaining = min(remaining + 1, stock) WHERE offer_id = ?", .id(id))
  }

  // MARK: - What lists have

  private static let isOffered = """
    state = 'open' AND valid_until > ?1 AND (partner_id IS NULL OR EXISTS (
      SELECT 1 FROM partners p WHERE p.partner_id = offers.partner_id AND p.state = 'approved' AND NOT p.is_without_owner))
    """

  /// Updates whether a partner's offers are listed.
  static func relist(of partner: PartnerID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE offers SET is_listed = (\(isOffered)) WHERE partner_id = ?2 AND is_listed <> (\(isOffered))",
      .instant(transaction.now), .id(partner))
  }

  /// Updates whether an offer is listed.
  static func relist(_ id: OfferID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE offers SET is_listed = (\(isOffered)) WHERE offer_id = ?2", .instant(transaction.now), .id(id))
  }

  /// Unlists offers that have ended.
  ///
  /// - Returns: how many.
  static func unlistEnded(limit: Int, _ transaction: Transaction) throws -> Int {
    try transaction.database.run(
      """
      UPDATE offers SET is_listed = 0 WHERE offer_id IN (
        SELECT offer_id FROM offers INDEXED BY offers_by_end WHERE is_listed AND valid_until <= ? LIMIT ?)
      """, .instant(transaction.now), .number(limit))
    return transaction.database.changesCount
  }

  /// How many of the offers that end soon are examined.
  static let maxExpiring = 500

  /// The offers that can be redeemed and end within a period, the earliest first.
  static func expiring(from now: Instant, until end: Instant, in database: Database) throws -> [ExpiringOffer] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM offers INDEXED BY offers_by_end
        WHERE is_listed AND valid_until > :now AND valid_until <= :end AND valid_from <= :now AND remaining > 0
        ORDER BY valid_until, offer_id LIMIT :limit
        """)
    return try Row.fetchAll(statement, arguments: ["now": now, "end": end, "limit": maxExpiring]).map { row in
      ExpiringOffer(
        offerID: row["offer_id"], title: row["title"], partnerName: row["partner_name"], costCoins: row["cost_coins"],
        endsAt: row["valid_until"])
    }
  }

  /// Updates the partner's name in its offers.
  static func rename(_ partner: PartnerID, _ name: String, _ transaction: Transaction) throws {
    let database = transaction.database
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT offer_id, title, reward FROM offers WHERE partner_id = ?"), arguments: [partner])
    for row in rows {
      try database.run(
        "UPDATE offers SET partner_name = ?2, search_text = ?3 WHERE offer_id = ?1", .id(row["offer_id"] as OfferID),
        .text(name), .text(searchText(row["title"], row["reward"], partnerName: name)))
    }
  }
}

extension Offer {
  /// Creates an offer without its partner's data.
  init(_ row: Row) {
    let id: OfferID = row["offer_id"]
    let tag: String? = row["picture_tag"]
    self.init(
      id: id, title: row["title"], reward: row["reward"], terms: row["terms"], category: row["category"],
      partnerName: row["partner_name"], pictureURL: tag.map { PartnerPictureURL(pictureOf: id, tag: $0) },
      costCoins: row["cost_coins"], remaining: row["remaining"], validFrom: row["valid_from"], validUntil: row["valid_until"],
      limitPerAccount: row["limit_in_all"], limitPerDay: row["limit_per_day"], codeValidDays: row["code_valid_days"])
  }
}

extension OfferCategory: DatabaseValueConvertible {}
extension PartnerOfferState: DatabaseValueConvertible {}
