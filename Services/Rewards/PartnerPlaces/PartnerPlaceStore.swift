import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// The places of partners.
enum PartnerPlaceStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "partners' places") { database in
      try database.execute(
        sql: """
          CREATE TABLE partner_places (
            place_number INTEGER NOT NULL PRIMARY KEY,
            place_id BLOB NOT NULL UNIQUE CHECK (length(place_id) = 16),
            partner_id BLOB NOT NULL REFERENCES partners (partner_id),
            address TEXT NOT NULL CHECK (address <> ''),
            latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
            longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
            -- The same on a sphere of radius 1.
            x REAL NOT NULL,
            y REAL NOT NULL,
            z REAL NOT NULL
          ) STRICT;
          CREATE INDEX partner_places_by_partner ON partner_places (partner_id, place_number);
          CREATE VIRTUAL TABLE partner_place_areas USING rtree(place_number, min_x, max_x, min_y, max_y, min_z, max_z);
          CREATE TRIGGER partner_place_areas_added AFTER INSERT ON partner_places BEGIN
            INSERT INTO partner_place_areas VALUES (new.place_number, new.x, new.x, new.y, new.y, new.z, new.z);
          END;
          CREATE TRIGGER partner_place_areas_changed AFTER UPDATE OF x, y, z ON partner_places BEGIN
            UPDATE partner_place_areas SET min_x = new.x, max_x = new.x, min_y = new.y, max_y = new.y, min_z = new.z, max_z = new.z
              WHERE place_number = new.place_number;
          END;
          CREATE TRIGGER partner_place_areas_removed AFTER DELETE ON partner_places BEGIN
            DELETE FROM partner_place_areas WHERE place_number = old.place_number;
          END;
          """)
    }
  }

  static func list(of partner: PartnerID, in database: Database) throws -> [PartnerPlace] {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM partner_places WHERE partner_id = ? ORDER BY place_number")
    return try Row.fetchAll(statement, arguments: [partner]).map(PartnerPlace.init)
  }

  /// The places at which an offer applies.
  static func list(of offer: OfferID, in database: Database) throws -> [PartnerPlace] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT p.* FROM offer_places o JOIN partner_places p USING (place_number) WHERE o.offer_id = ? ORDER BY place_number
        """)
    return try Row.fetchAll(statement, arguments: [offer]).map(PartnerPlace.init)
  }

  /// Adds a place, also to the offers that apply everywhere.
  static func add(_ place: PartnerPlaceDraft, to partner: PartnerID, in database: Database) throws -> PartnerPlace {
    let id = PartnerPlaceID()
    let point = EarthPoint(latitude: place.latitude, longitude: place.longitude)
    try database.run(
      """
      INSERT INTO partner_places (place_id, partner_id, address, latitude, longitude, x, y, z) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, .id(id), .id(partner), .text(place.address), .real(place.latitude), .real(place.longitude), .real(point.x),
      .real(point.y), .real(point.z))
    try OfferPlaceStore.extend(to: database.lastInsertedRowID, of: partner, in: database)
    return PartnerPlace(id: id, address: place.address, latitude: place.latitude, longitude: place.longitude)
  }

  /// Returns a place of that partner; nil where it has none with that id.
  static func find(_ id: PartnerPlaceID, of partner: PartnerID, in database: Database) throws -> PartnerPlace? {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM partner_places WHERE place_id = ? AND partner_id = ?")
    return try Row.fetchOne(statement, arguments: [id, partner]).map(PartnerPlace.init)
  }

  static func count(of partner: PartnerID, in database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM partner_places WHERE partner_id = ?", .id(partner)) { $0.number(0) } ?? 0
  }

  static func change(_ place: PartnerPlace, in database: Database) throws {
    let point = EarthPoint(latitude: place.latitude, longitude: place.longitude)
    try database.run(
      "UPDATE partner_places SET address = ?2, latitude = ?3, longitude = ?4, x = ?5, y = ?6, z = ?7 WHERE place_id = ?1",
      .id(place.id), .text(place.address), .real(place.latitude), .real(place.longitude), .real(point.x), .real(point.y),
      .real(point.z))
  }

  /// Removes a place, also from the offers that apply there.
  static func remove(_ id: PartnerPlaceID, in database: Database) throws {
    try database.run("DELETE FROM partner_places WHERE place_id = ?", .id(id))
  }
}

extension PartnerPlace {
  init(_ row: Row) {
    self.init(id: row["place_id"], address: row["address"], latitude: row["latitude"], longitude: row["longitude"])
  }
}
