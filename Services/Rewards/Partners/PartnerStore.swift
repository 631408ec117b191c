import Foundation
public import GRDB
import Images
import Operations
public import RewardsContract
import ServiceKit
import Storage

/// The partners, and the administrators' decisions about them.
enum PartnerStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "partners") { database in
      try database.execute(
        sql: """
          CREATE TABLE partners (
            partner_id BLOB NOT NULL PRIMARY KEY CHECK (length(partner_id) = 16),
            name TEXT NOT NULL CHECK (name <> ''),
            about TEXT NOT NULL CHECK (about <> ''),
            -- For administrators; empty once nobody belongs to the partner any more.
            contact TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'refused', 'suspended')),
            reason TEXT,
            -- Whether no owner is left who is neither deleted nor suspended.
            is_without_owner INTEGER NOT NULL DEFAULT 0 CHECK (is_without_owner IN (0, 1)),
            logo_tag TEXT CHECK (length(logo_tag) = 32),
            registered_at INTEGER NOT NULL,
            decided_at INTEGER,
            -- When the wrong codes that its people have given are forgotten; see WrongCodeRules.
            wrong_codes_until INTEGER NOT NULL DEFAULT 0
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX partners_by_state ON partners (state, partner_id);
          CREATE INDEX partners_without_owner ON partners (partner_id) WHERE is_without_owner;

          -- Separate from the partners, so that reading a partner does not read its logo.
          CREATE TABLE partner_logos (
            partner_id BLOB NOT NULL PRIMARY KEY REFERENCES partners (partner_id),
            media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
            content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288)
          ) STRICT;

          -- Partners that have lost their last owner, to notify administrators of.
          CREATE TABLE partner_alerts (
            partner_id BLOB NOT NULL PRIMARY KEY REFERENCES partners (partner_id),
            at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// A stored partner.
  struct Stored: Sendable {
    let id: PartnerID
    let name: String
    let about: String
    let contact: String
    let state: PartnerState
    let reason: String?
    let isWithoutOwner: Bool
    let logoTag: String?
    let registeredAt: Instant
    let decidedAt: Instant?

    init(_ row: Row) {
      id = row["partner_id"]
      name = row["name"]
      about = row["about"]
      contact = row["contact"]
      state = row["state"]
      reason = row["reason"]
      isWithoutOwner = row["is_without_owner"]
      logoTag = row["logo_tag"]
      registeredAt = row["registered_at"]
      decidedAt = row["decided_at"]
    }
  }

  static func find(_ id: PartnerID, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM partners WHERE partner_id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(Stored.init)
  }

  /// - Throws: `partner_not_found`.
  static func required(_ id: PartnerID, in database: Database) throws -> Stored {
    guard let found = try find(id, in: database) else { throw PartnerFailure.notFound }
    return found
  }

  /// The partner as everybody sees it.
  static func view(_ partner: Stored, in database: Database) throws -> Partner {
    Partner(
      id: partner.id, name: partner.name, about: partner.about,
      logoURL: partner.logoTag.map { PartnerPictureURL(logoOf: partner.id, tag: $0) },
      places: try PartnerPlaceStore.list(of: partner.id, in: database))
  }

  /// The partner as its own members and administrators see it.
  static func registered(_ partner: Stored, role: PartnerRole?, in database: Database) throws -> RegisteredPartner {
    RegisteredPartner(
      partner: try view(partner, in: database), contact: role == .clerk || partner.contact.isEmpty ? nil : partner.contact,
      state: partner.state,
      reason: partner.reason,
      isWithoutOwner: partner.isWithoutOwner, role: role, registeredAt: partner.registeredAt, decidedAt: partner.decidedAt)
  }

  /// The partners in a state, earliest registration first.
  static func list(_ state: PartnerState, _ page: PageRequest, in database: Database) throws -> Page<RegisteredPartner> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM partners WHERE state = ? AND partner_id > ? ORDER BY partner_id LIMIT ?")
    let rows = try Row.fetchAll(
      statement, arguments: [state, page.cursor(PartnerID.init(text:)) ?? .placeholder, page.fetchLimit])
    return try page.page(of: rows, key: { $0["partner_id"] as PartnerID }) {
      try registered(Stored($0), role: nil, in: database)
    }
  }

  /// Stores a new partner with the account as its owner.
  static func add(_ input: RegisterPartner.Input, logo: Picture?, of account: AccountID, _ transaction: Transaction) throws
    -> PartnerID
  {
    let id = PartnerID()
    let database = transaction.database
    try database.cachedStatement(
      sql: """
        INSERT INTO partners (partner_id, name, about, contact, state, registered_at) VALUES (?, ?, ?, ?, 'pending', ?)
        """
    ).execute(arguments: [id, input.name, input.about, input.contact, transaction.now])
    try PartnerMemberStore.add(account, to: id, .owner, transaction)
    for place in input.places { _ = try PartnerPlaceStore.add(place, to: id, in: database) }
    if let logo { try setLogo(of: id, logo, in: database) }
    return id
  }

  /// Changes a partner's description, and its name in its offers.
  static func edit(_ partner: Stored, _ input: UpdatePartner.Input, _ transaction: Transaction) throws {
    let isRenamed = input.name.value.map { $0 != partner.name } ?? false
    let state = PartnerRules.state(afterEditOf: partner.state, isRenamed: isRenamed)
    try transaction.database.cachedStatement(
      sql: """
        UPDATE partners SET name = ?, about = ?, contact = ?, state = ?, reason = iif(state = ?4, reason, NULL)
        WHERE partner_id = ?
        """
    ).execute(arguments: [
      input.name.applied(to: partner.name), input.about.applied(to: partner.about),
      input.contact.applied(to: partner.contact), state, partner.id,
    ])
    if isRenamed, let name = input.name.value { try OfferStore.rename(partner.id, name, transaction) }
    if state != partner.state { try OfferStore.relist(of: partner.id, transaction) }
  }

  /// Sets a partner's state, and publishes it to its owners.
  static func decide(_ partner: Stored, _ state: PartnerState, reason: String?, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE partners SET state = ?, reason = ?, decided_at = ? WHERE partner_id = ?"
    ).execute(arguments: [state, reason, transaction.now, partner.id])
    try OfferStore.relist(of: partner.id, transaction)
    for owner in try PartnerMemberStore.owners(of: partner.id, in: transaction.database) {
      try transaction.publish(
        PartnerDecided(
          noticeID: ID(), accountID: owner, partnerID: partner.id, name: partner.name, state: state, reason: reason,
          at: transaction.now))
    }
  }
}

// MARK: - Logos

extension PartnerStore {
  /// Returns the partner's logo with the given version.
  ///
  /// - Throws: `not_found` without one.
  static func logo(of partner: PartnerID, version: String?, in database: Database) throws -> MediaFile {
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT media_type, logo_tag AS tag, content FROM partner_logos JOIN partners USING (partner_id) WHERE partner_id = ?
          """), arguments: [partner])
    guard let row else { throw Failure(RequestFailure.notFound) }
    return MediaFile(row, version: version)
  }

  /// Sets the partner's logo; nil removes it.
  static func setLogo(of partner: PartnerID, _ picture: Picture?, in database: Database) throws {
    if let picture {
      try database.run(
        """
        INSERT INTO partner_logos (partner_id, media_type, content) VALUES (?1, ?2, ?3)
        ON CONFLICT (partner_id) DO UPDATE SET media_type = ?2, content = ?3
        """, .id(partner), .text(picture.format.rawValue), .bytes(picture.bytes))
    } else {
      try database.run("DELETE FROM partner_logos WHERE partner_id = ?", .id(partner))
    }
    try database.run("UPDATE partners SET logo_tag = ? WHERE partner_id = ?", .text(picture?.tag), .id(partner))
  }
}

extension MediaFile {
  /// A picture from a row with its type, tag and content, that another version has another address of.
  init(_ row: Row, version: String?) {
    let tag: String = row["tag"]
    self.init(
      mediaType: row["media_type"], tag: tag, content: Base64Bytes(Array(row["content"] as Data)),
      isImmutable: tag == version ? true : nil)
  }
}

// MARK: - Owners

extension PartnerStore {
  /// Pauses or resumes a partner's offers, depending on whether it has an owner that is neither deleted nor suspended; where it has none,
  /// administrators are to be notified.
  static func followOwners(of partner: PartnerID, _ transaction: Transaction) throws {
    let database = transaction.database
    let hasOwner = try PartnerMemberStore.hasOwner(partner, at: transaction.now, in: database)
    try database.run(
      "UPDATE partners SET is_without_owner = ?2 WHERE partner_id = ?1 AND is_without_owner <> ?2", .id(partner),
      .truth(!hasOwner))
    guard database.changesCount > 0 else { return }
    try OfferStore.relist(of: partner, transaction)
    if hasOwner {
      try database.run("DELETE FROM partner_alerts WHERE partner_id = ?", .id(partner))
    } else {
      try database.run(
        "INSERT INTO partner_alerts (partner_id, at) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(partner),
        .instant(transaction.now))
    }
  }

  /// Partners without an owner, some of whose owners' suspensions may have ended.
  static func withoutOwner(in database: Database) throws -> [PartnerID] {
    try PartnerID.fetchAll(
      database.cachedStatement(sql: "SELECT partner_id FROM partners INDEXED BY partners_without_owner WHERE is_without_owner"))
  }

  /// Partners about which administrators are to be notified.
  static func alerts(in database: Database) throws -> [PartnerID] {
    try PartnerID.fetchAll(database.cachedStatement(sql: "SELECT partner_id FROM partner_alerts ORDER BY at LIMIT 100"))
  }

  /// Notifies the given administrators about a partner, unless that was done or is no longer necessary.
  static func alert(_ administrators: [AccountID], of partner: PartnerID, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM partner_alerts WHERE partner_id = ?", .id(partner))
    guard transaction.database.changesCount > 0, let found = try find(partner, in: transaction.database) else { return }
    for administrator in administrators {
      try transaction.publish(
        PartnerOwnerLost(
          noticeID: ID(), accountID: administrator, partnerID: partner, name: found.name, at: transaction.now))
    }
  }

  /// Deletes a partner without members and all that it prepared, unless it was approved, suspended, or sold something.
  ///
  /// - Returns: whether it was deleted.
  static func discard(_ partner: PartnerID, in database: Database) throws -> Bool {
    let isWanted = try database.first(
      """
      SELECT state IN ('approved', 'suspended') OR EXISTS (SELECT 1 FROM redemptions r JOIN offers o USING (offer_id)
        WHERE o.partner_id = ?1)
      FROM partners WHERE partner_id = ?1
      """, .id(partner)
    ) { $0.number(0) == 1 }
    guard isWanted == false else { return false }
    for table in ["offer_figures", "offer_viewers", "offer_pictures", "offer_places"] {
      try database.run(
        "DELETE FROM \(table) WHERE offer_id IN (SELECT offer_id FROM offers WHERE partner_id = ?)", .id(partner))
    }
    for table in ["offers", "partner_places", "partner_logos", "partner_alerts", "partners"] {
      try database.run("DELETE FROM \(table) WHERE partner_id = ?", .id(partner))
    }
    return true
  }

  /// Deletes the contact of a partner without members.
  static func forgetContact(_ partner: PartnerID, in database: Database) throws {
    try database.run("UPDATE partners SET contact = '' WHERE partner_id = ?", .id(partner))
  }
}

extension PartnerState: DatabaseValueConvertible {}
