import GRDB
import Operations
import RewardsContract
import Storage

/// Computes how far offers are from a point: first by boxes of the R*Tree, then by the great circle (REW-4).
///
/// It visits places in order of distance, so that an offer is first found at its nearest place. The number of pairs of offer and place is
/// bounded per partner, so that a partner with many places and offers leaves room for others.
enum OfferDistances {
  /// The maximum number of places within a radius that are compared; the nearest ones where there are more.
  static let maxPlaces = 2000
  /// The maximum number of pairs of offer and place; the nearest ones where there are more.
  static let maxPairs = 10_000
  /// The same for a single partner among others.
  static let maxPairsOfPartner = 1000

  /// The squared chord to each offer's nearest place, and whether the result is complete.
  struct Found {
    var nearest: [OfferID: Double] = [:]
    var isWhole = true
  }

  private struct Place {
    let number: Int64
    let partner: PartnerID
    let squaredChord: Double
  }

  private static let inBox = """
    SELECT p.place_number, p.partner_id, p.x, p.y, p.z FROM partner_place_areas a
    CROSS JOIN partner_places p ON p.place_number = a.place_number
    CROSS JOIN partners r ON r.partner_id = p.partner_id AND r.state = 'approved' AND NOT r.is_without_owner
    WHERE a.max_x >= ?1 AND a.min_x <= ?2 AND a.max_y >= ?3 AND a.min_y <= ?4 AND a.max_z >= ?5 AND a.min_z <= ?6
      AND (?8 IS NULL OR p.partner_id = ?8) LIMIT ?7
    """
  private static let atPlace = """
    SELECT o.offer_id FROM offer_places o CROSS JOIN offers f ON f.offer_id = o.offer_id AND f.is_listed
    WHERE o.place_number = ?1 LIMIT ?2
    """

  /// The listed offers within so many metres of a point, or those of one partner.
  static func within(
    _ meters: Int, of point: EarthPoint, partner: PartnerID? = nil, in database: Database
  ) throws -> Found {
    var found = Found()
    let (places, isWhole) = try places(within: meters, of: point, partner, in: database)
    found.isWhole = isWhole
    var (pairs, ofPartner) = (0, [PartnerID: Int]())
    for place in places {
      let bound = partner == nil ? maxPairsOfPartner : maxPairs
      let room = min(maxPairs - pairs, bound - ofPartner[place.partner, default: 0])
      var met = 0
      try database.each(atPlace, .integer(place.number), .number(room + 1)) {
        guard met < room else {
          found.isWhole = false
          return false
        }
        met += 1
        let offer: OfferID = try $0.id(0)
        if found.nearest[offer] == nil { found.nearest[offer] = place.squaredChord }
        return true
      }
      pairs += met
      ofPartner[place.partner, default: 0] += met
    }
    return found
  }

  /// The places within so many metres of a point, the nearest first; where there are too many, those within half of that distance, a
  /// quarter, and so on.
  private static func places(
    within meters: Int, of point: EarthPoint, _ partner: PartnerID?, in database: Database
  ) throws -> (places: [Place], isWhole: Bool) {
    var meters = Double(meters)
    var isWhole = true
    while true {
      let chord = EarthPoint.chord(meters: meters)
      var (places, count) = ([Place](), 0)
      try database.each(
        inBox, .real(point.x - chord), .real(point.x + chord), .real(point.y - chord), .real(point.y + chord),
        .real(point.z - chord), .real(point.z + chord), .number(maxPlaces + 1), partner.map { .id($0) } ?? .null
      ) {
        count += 1
        let squared = point.squaredChord(to: EarthPoint(x: $0.real(2), y: $0.real(3), z: $0.real(4)))
        if squared <= chord * chord {
          places.append(Place(number: Int64($0.number(0)), partner: try $0.id(1), squaredChord: squared))
        }
        return true
      }
      // With so many places at one spot, any of them will do.
      if count <= maxPlaces || meters < 1 {
        return (places.sorted { ($0.squaredChord, $0.number) < ($1.squaredChord, $1.number) }, isWhole && count <= maxPlaces)
      }
      isWhole = false
      meters /= 2
    }
  }

  /// The squared chord to an offer's nearest place; nil where the offer has none.
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
