import Testing

@testable import RewardsService

@Suite("Distances on the earth")
struct EarthPointTests {
  private static let pole = EarthPoint(latitude: 90, longitude: 17)

  @Test(
    "Distances follow the great circle, across poles and the date line",
    arguments: [
      // One degree of a great circle is 111,195 m on this sphere.
      ((0.0, 0.0), (0.0, 1.0), 111_195), ((0.0, 179.5), (0.0, -179.5), 111_195), ((89.5, 0.0), (89.5, 180.0), 111_195),
      ((40.4168, -3.7038), (40.4168, -3.7038), 0), ((0.0, 0.0), (0.0, 180.0), 20_015_115),
      // Madrid, Puerta del Sol, to Barcelona, Plaça de Catalunya.
      ((40.4168, -3.7038), (41.3870, 2.1701), 505_437),
    ])
  func distances(_ one: (Double, Double), _ other: (Double, Double), _ meters: Int) {
    let (one, other) = (
      EarthPoint(latitude: one.0, longitude: one.1), EarthPoint(latitude: other.0, longitude: other.1)
    )
    let found = EarthPoint.meters(squaredChord: one.squaredChord(to: other))
    #expect(abs(found - meters) <= max(1, meters / 1000), "\(found)")
  }

  @Test("A chord converts back to its metres, from one metre to half around the earth")
  func chords() {
    for meters in [1.0, 10, 1000, 100_000, 10_000_000, 20_000_000] {
      let chord = EarthPoint.chord(meters: meters)
      #expect(abs(EarthPoint.meters(squaredChord: chord * chord) - Int(meters)) <= 1)
    }
  }
}
