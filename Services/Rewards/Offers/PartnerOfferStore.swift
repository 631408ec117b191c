import GRDB
import Images
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Partners' changes of their offers.
enum PartnerOfferStore {
  /// The maximum number of a partner's offers that are not withdrawn, and of all its offers ever.
  static let maxPresent = 200
  static let maxEver = 5000
  /// The same for a partner that administrators have not approved yet.
  static let maxPrepared = 20

  /// Returns an offer of that partner.
  ///
  /// - Throws: `offer_not_found`.
  static func required(_ id: OfferID, of partner: PartnerID, in database: Database) throws -> OfferStore.Stored {
    guard let found = try OfferStore.find(id, in: database), found.partner == partner else { throw OfferFailure.notFound }
    return found
  }

  /// The offer as the partner's members see it.
  static func view(_ id: OfferID, in database: Database) throws -> PartnerOffer {
    let found = try OfferStore.required(id, in: database)
    var offer = found.offer
    try OfferStore.complete(&offer, found.partner, in: database)
    offer.places = try PartnerPlaceStore.list(of: id, in: database)
    return PartnerOffer(offer: offer, state: found.state, stock: found.stock, isEverywhere: found.isEverywhere)
  }

  /// The partner's offers, newest first.
  static func list(of partner: PartnerID, _ page: PageRequest, in database: Database) throws -> Page<PartnerOffer> {
    let last = try page.cursor(OfferPosition.init(text:))
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT offer_id, created_at FROM offers INDEXED BY offers_of_partner
          WHERE partner_id = :partner AND (created_at, offer_id) < (:at, :offer)
          ORDER BY created_at DESC, offer_id DESC LIMIT :limit
          """),
      arguments: [
        "partner": partner, "at": last?.value ?? Int64.max, "offer": last?.offer ?? OfferID.last, "limit": page.fetchLimit,
      ])
    return try page.page(of: rows, key: { OfferPosition(value: $0["created_at"], offer: $0["offer_id"]) }) {
      try view($0["offer_id"], in: database)
    }
  }

  /// Stores a new offer of the partner.
  ///
  /// - Throws: `too_many_offers`.
  static func add(
    _ input: CreatePartnerOffer.Input, of partner: PartnerStore.Stored, _ transaction: Transaction
  ) throws -> OfferID {
    let database = transaction.database
    let counts = try database.first(
      "SELECT count(*), coalesce(sum(state <> 'withdrawn'), 0) FROM offers WHERE partner_id = ?", .id(partner.id)
    ) { (ever: $0.number(0), present: $0.number(1)) }
    let isLetIn = partner.state == .approved
    let max = isLetIn ? maxPresent : maxPrepared
    guard let counts, counts.ever < (isLetIn ? maxEver : 5 * maxPrepared), counts.present < max else {
      throw PartnerOfferFailure.tooMany.with(["max": .number(max)])
    }
    let id = OfferID()
    try database.cachedStatement(
      sql: """
        INSERT INTO offers (offer_id, partner_id, title, reward, terms, category, partner_name, cost_coins, stock, remaining,
          valid_from, valid_until, limit_in_all, limit_per_day, code_valid_days, is_listed, created_at, search_text)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)
        """
    ).execute(arguments: [
      id, partner.id, input.title, input.reward, input.terms, input.category, partner.name, input.costCoins, input.stock,
      input.stock, input.validFrom, input.validUntil, input.limitPerAccount, input.limitPerDay, input.codeValidDays,
      transaction.now, OfferStore.searchText(input.title, input.reward, partnerName: partner.name),
    ])
    try OfferPlaceStore.set(input.placeIDs, of: id, partner.id, in: database)
    try OfferStore.relist(id, transaction)
    return id
  }

  /// Changes an offer; earlier redemptions are not changed.
  ///
  /// - Throws: `invalid_fields` for a stock below the number of redemptions, or an end before the beginning.
  static func edit(
    _ found: OfferStore.Stored, _ input: UpdatePartnerOffer.Input, of partner: PartnerStore.Stored, _ transaction: Transaction
  ) throws {
    let offer = found.offer
    let (title, reward) = (input.title.applied(to: offer.title), input.reward.applied(to: offer.reward))
    let stock = input.stock.applied(to: found.stock)
    guard stock >= found.takenCount else {
      throw Failure.field("stock", FieldRule("below_redeemed", ["count": .number(found.takenCount)]))
    }
    let (from, until) = (
      input.validFrom.applied(to: offer.validFrom), input.validUntil.applied(to: offer.validUntil)
    )
    guard from < until else {
      if input.validUntil == .keep { throw Failure.field("validFrom", FieldRule("not_before", ["field": .text("validUntil")])) }
      throw Failure.field("validUntil", FieldRule("not_after", ["field": .text("validFrom")]))
    }
    try transaction.database.cachedStatement(
      sql: """
        UPDATE offers SET title = ?, reward = ?, terms = ?, category = ?, cost_coins = ?, stock = ?, remaining = ?, valid_from = ?,
          valid_until = ?, limit_in_all = ?, limit_per_day = ?, code_valid_days = ?, search_text = ?
        WHERE offer_id = ?
        """
    ).execute(arguments: [
      title, reward, input.terms.applied(to: offer.terms), input.category.value ?? offer.category,
      input.costCoins.applied(to: offer.costCoins), stock, stock - found.takenCount, from, until,
      input.limitPerAccount.applied(to: offer.limitPerAccount), input.limitPerDay.applied(to: offer.limitPerDay),
      input.codeValidDays.applied(to: offer.codeValidDays),
      OfferStore.searchText(title, reward, partnerName: partner.name), found.id,
    ])
    if case .set(let places) = input.placeIDs {
      try OfferPlaceStore.set(places, of: found.id, partner.id, in: transaction.database)
    }
    try OfferStore.relist(found.id, transaction)
  }

  static func setState(of id: OfferID, _ state: PartnerOfferState, _ transaction: Transaction) throws {
    try transaction.database.run("UPDATE offers SET state = ?2 WHERE offer_id = ?1", .id(id), .text(state.rawValue))
    try OfferStore.relist(id, transaction)
    if state == .withdrawn { try shrink(id, in: transaction.database) }
  }

  /// Deletes picture and places of a withdrawn offer that was never redeemed.
  private static func shrink(_ id: OfferID, in database: Database) throws {
    let isRedeemed = try database.first("SELECT 1 FROM redemptions WHERE offer_id = ? LIMIT 1", .id(id)) { _ in true } ?? false
    guard !isRedeemed else { return }
    try setPicture(of: id, nil, in: database)
    try database.run("DELETE FROM offer_places WHERE offer_id = ?", .id(id))
  }

  // MARK: - Pictures

  /// - Throws: `not_found` without one.
  static func picture(of offer: OfferID, version: String?, in database: Database) throws -> MediaFile {
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT media_type, picture_tag AS tag, content FROM offer_pictures JOIN offers USING (offer_id) WHERE offer_id = ?
          """), arguments: [offer])
    guard let row else { throw Failure(RequestFailure.notFound) }
    return MediaFile(row, version: version)
  }

  /// Sets an offer's picture; nil removes it.
  static func setPicture(of offer: OfferID, _ picture: Picture?, in database: Database) throws {
    if let picture {
      try database.run(
        """
        INSERT INTO offer_pictures (offer_id, media_type, content) VALUES (?1, ?2, ?3)
        ON CONFLICT (offer_id) DO UPDATE SET media_type = ?2, content = ?3
        """, .id(offer), .text(picture.format.rawValue), .bytes(picture.bytes))
    } else {
      try database.run("DELETE FROM offer_pictures WHERE offer_id = ?", .id(offer))
    }
    try database.run("UPDATE offers SET picture_tag = ? WHERE offer_id = ?", .text(picture?.tag), .id(offer))
  }
}
