import GRDB
import Operations
import RewardsContract
import Storage

/// The places at which offers apply.
enum OfferPlaceStore {
  /// The table of ``OfferStore/partnersMigration(_:)``.
  static let table = """
    CREATE TABLE offer_places (
      place_number INTEGER NOT NULL REFERENCES partner_places (place_number) ON DELETE CASCADE,
      offer_id BLOB NOT NULL REFERENCES offers (offer_id),
      PRIMARY KEY (place_number, offer_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX offer_places_by_offer ON offer_places (offer_id, place_number);
    """

  /// Sets the partner's places at which an offer applies; nil for all.
  ///
  /// - Throws: `invalid_fields` naming `placeIDs` where one is not a place of the partner.
  static func set(_ places: [PartnerPlaceID]?, of offer: OfferID, _ partner: PartnerID, in database: Database) throws {
    try database.run("DELETE FROM offer_places WHERE offer_id = ?", .id(offer))
    try database.run(
      "UPDATE offers SET is_everywhere = ?2 WHERE offer_id = ?1", .id(offer), .truth(places == nil))
    guard let places else {
      try database.run(
        "INSERT INTO offer_places (place_number, offer_id) SELECT place_number, ?1 FROM partner_places WHERE partner_id = ?2",
        .id(offer), .id(partner))
      return
    }
    for (index, place) in places.enumerated() where !places[..<index].contains(place) {
      try database.run(
        """
        INSERT INTO offer_places (place_number, offer_id)
        SELECT place_number, ?1 FROM partner_places WHERE place_id = ?2 AND partner_id = ?3
        """, .id(offer), .id(place), .id(partner))
      guard database.changesCount == 1 else { throw Failure.field("placeIDs[\(index)]", FieldRule("unknown_place")) }
    }
  }

  /// Adds a new place of the partner to the offers that apply everywhere.
  static func extend(to place: Int64, of partner: PartnerID, in database: Database) throws {
    try database.run(
      """
      INSERT INTO offer_places (place_number, offer_id)
      SELECT ?1, offer_id FROM offers WHERE partner_id = ?2 AND is_everywhere AND state <> 'withdrawn'
      """, .integer(place), .id(partner))
  }
}
