import GRDB
import Operations
import RewardsContract
import Storage

/// How far offers are from a point: boxes of the R*Tree first, the great circle after (REW-4).
enum OfferDistances {
  private static let inBox = """
    SELECT o.offer_id, p.x, p.y, p.z FROM partner_place_areas a
    CROSS JOIN partner_places p ON p.place_number = a.place_number
    CROSS JOIN partners r ON r.partner_id = p.partner_id AND r.state = 'approved' AND NOT r.is_without_owner
    CROSS JOIN offer_places o ON o.place_number = a.place_number
    CROSS JOIN offers f ON f.offer_id = o.offer_id AND f.is_listed
    WHERE a.max_x >= ?1 AND a.min_x <= ?2 AND a.max_y >= ?3 AND a.min_y <= ?4 AND a.max_z >= ?5 AND a.min_z <= ?6 LIMIT ?7
    """

  /// The offers within so many metres of a point, each with the squared chord to its nearest place.
  ///
  /// - Parameter nearestOnly: whether of too many those that are nearer will do.
  /// - Returns: nil where there are too many.
  static func within(
    _ meters: Int, of point: EarthPoint, nearestOnly: Bool, in database: Database
  ) throws -> [OfferID: Double]? {
    var meters = Double(meters)
    while true {
      let chord = EarthPoint.chord(meters: meters)
      var nearest: [OfferID: Double] = [:]
      var count = 0
      try database.each(
        inBox, .real(point.x - chord), .real(point.x + chord), .real(point.y - chord), .real(point.y + chord),
        .real(point.z - chord), .real(point.z + chord), .number(OfferQuery.maxNear + 1)
      ) {
        count += 1
        let squared = point.squaredChord(to: EarthPoint(x: $0.real(1), y: $0.real(2), z: $0.real(3)))
        if squared <= chord * chord {
          let id: OfferID = try $0.id(0)
          nearest[id] = min(squared, nearest[id] ?? .infinity)
        }
        return true
      }
      if count <= OfferQuery.maxNear { return nearest }
      // So many on one spot are as good as any of them.
      guard nearestOnly else { return nil }
      if meters < 1 { return nearest }
      meters /= 2
    }
  }

  /// The squared chord to an offer's nearest place; nil where it holds at none.
  static func squaredChord(from point: EarthPoint, to offer: OfferID, in database: Database) throws -> Double? {
    var nearest: Double?
    try database.each(
      """
      SELECT p.x, p.y, p.z FROM offer_places o JOIN partner_places p USING (place_number) WHERE o.offer_id = ?
      """, .id(offer)
    ) {
      let squared = point.squaredChord(to: EarthPoint(x: $0.real(0), y: $0.real(1), z: $0.real(2)))
      nearest = min(squared, nearest ?? .infinity)
      return true
    }
    return nearest
  }
}
