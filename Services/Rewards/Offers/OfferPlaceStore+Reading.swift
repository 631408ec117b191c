import GRDB
import Operations
import RewardsContract
import Storage

/// Reads places and the offers at them, for ``OfferDistances``.
extension OfferPlaceStore {
  /// A place at which offers may be listed.
  struct Place: Sendable {
    let number: Int64
    let partner: PartnerID
    let point: EarthPoint
  }

  /// The places in a box around a point, of partners whose offers are listed; any of them where there are more.
  ///
  /// - Parameters:
  ///   - chord: how far the box goes from the point in each direction.
  ///   - partner: whose places; nil for those of all.
  static func places(
    around point: EarthPoint, _ chord: Double, of partner: PartnerID?, limit: Int, in database: Database
  ) throws -> [Place] {
    var found: [Place] = []
    try database.each(
      inBox, .real(point.x - chord), .real(point.x + chord), .real(point.y - chord), .real(point.y + chord),
      .real(point.z - chord), .real(point.z + chord), .number(limit), partner.map { .id($0) } ?? .null
    ) {
      found.append(
        Place(
          number: Int64($0.number(0)), partner: try $0.id(1),
          point: EarthPoint(x: $0.real(2), y: $0.real(3), z: $0.real(4))))
      return true
    }
    return found
  }

  private static let inBox = """
    SELECT p.place_number, p.partner_id, p.x, p.y, p.z FROM partner_place_areas a
    CROSS JOIN partner_places p ON p.place_number = a.place_number
    CROSS JOIN partners r ON r.partner_id = p.partner_id AND r.state = 'approved' AND NOT r.is_without_owner
    WHERE a.max_x >= ?1 AND a.min_x <= ?2 AND a.max_y >= ?3 AND a.min_y <= ?4 AND a.max_z >= ?5 AND a.min_z <= ?6
      AND (?8 IS NULL OR p.partner_id = ?8) LIMIT ?7
    """

  /// The listed offers at a place.
  static func listed(at place: Int64, limit: Int, in database: Database) throws -> [OfferID] {
    var found: [OfferID] = []
    try database.each(
      """
      SELECT o.offer_id FROM offer_places o CROSS JOIN offers f ON f.offer_id = o.offer_id AND f.is_listed
      WHERE o.place_number = ?1 LIMIT ?2
      """, .integer(place), .number(limit)
    ) {
      found.append(try $0.id(0))
      return true
    }
    return found
  }

  /// The points of an offer's places.
  static func points(of offer: OfferID, in database: Database) throws -> [EarthPoint] {
    var found: [EarthPoint] = []
    try database.each(
      """
      SELECT p.x, p.y, p.z FROM offer_places o JOIN partner_places p USING (place_number) WHERE o.offer_id = ?
      """, .id(offer)
    ) {
      found.append(EarthPoint(x: $0.real(0), y: $0.real(1), z: $0.real(2)))
      return true
    }
    return found
  }
}
