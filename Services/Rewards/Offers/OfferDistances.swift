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
      let offers = try OfferPlaceStore.listed(at: place.number, limit: room + 1, in: database)
      if offers.count > room { found.isWhole = false }
      for offer in offers.prefix(room) where found.nearest[offer] == nil { found.nearest[offer] = place.squaredChord }
      let met = min(offers.count, room)
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
      let inBox = try OfferPlaceStore.places(around: point, chord, of: partner, limit: maxPlaces + 1, in: database)
      // With so many places at one spot, any of them will do.
      if inBox.count <= maxPlaces || meters < 1 {
        var places: [Place] = []
        for place in inBox {
          let squared = point.squaredChord(to: place.point)
          guard squared <= chord * chord else { continue }
          places.append(Place(number: place.number, partner: place.partner, squaredChord: squared))
        }
        places.sort { ($0.squaredChord, $0.number) < ($1.squaredChord, $1.number) }
        return (places, isWhole && inBox.count <= maxPlaces)
      }
      isWhole = false
      meters /= 2
    }
  }

  /// The squared chord to an offer's nearest place; nil where the offer has none.
  static func squaredChord(from point: EarthPoint, to offer: OfferID, in database: Database) throws -> Double? {
    try OfferPlaceStore.points(of: offer, in: database).map { point.squaredChord(to: $0) }.min()
  }
}
