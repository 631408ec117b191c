import Foundation
import IdentityContract
import Operations
import ServiceKit
import Testing

@testable import IdentityService

@Suite("Places of network addresses (ID-7)")
struct PlaceDatabaseTests {
  /// The file that `make_places.py` makes.
  static let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("places.mmdb").path
  static let settings = [PlaceDatabase.setting: path]

  private let places = PlaceDatabase(Settings(settings))

  @Test(
    "Places are named in the reader's language, else in English, or by the country's code",
    arguments: [
      ("192.0.2.7", "Madrid, Spain", "Madrid, España"), ("::ffff:192.0.2.7", "Madrid, Spain", "Madrid, España"),
      ("2001:db8:1::5", "Madrid, Spain", "Madrid, España"), ("203.0.113.9", "Tokyo, Japan", "Tokio, Japón"),
      ("198.18.1.1", "Peru", "Perú"), ("198.18.2.1", "Berlin, Germany", "Berlin, Germany"), ("198.18.3.1", "FR", "FR"),
      ("198.18.4.1", "Network 198.18.4.0/24", "Red 198.18.4.0/24"), ("198.18.9.1", "Network 198.18.9.0/24", "Red 198.18.9.0/24"),
      ("127.0.0.1", "This computer", "Este equipo"), ("192.168.3.4", "Private network", "Red privada"),
      ("nonsense", "Unknown place", "Lugar desconocido"),
    ])
  func names(address: String, english: String, spanish: String) {
    #expect(SessionWords.place(address, places, .english).name == english)
    #expect(SessionWords.place(address, places, .spanish).name == spanish)
  }

  @Test("A place has what the file says, and unknown coordinates are left out")
  func contents() throws {
    func place(_ address: String) -> Place? { IPAddress(address).flatMap { places.place($0) } }
    let tokyo = try #require(place("203.0.113.9"))
    #expect(tokyo.countryCode == "JP" && tokyo.city[.spanish] == "Tokio")
    #expect(tokyo.coordinates == Coordinates(latitude: 35.6762, longitude: 139.6503))
    #expect(place("198.18.4.1") == nil)
    #expect(place("2001:db8:2::1") == nil)
    let shown = SessionWords.place("203.0.113.9", places, .english)
    #expect(shown.kind == .located && shown.city == "Tokyo" && shown.country == "Japan" && shown.network == "203.0.113.0/24")
    #expect(!String(decoding: shown.json, as: UTF8.self).contains("139"))
  }

  @Test("Without a file a place is its network, and an invalid file stops the start")
  func without() throws {
    let none = PlaceDatabase(Settings([:]))
    #expect(SessionWords.place("203.0.113.9", none, .english).kind == .network)
    for path in ["/nowhere.mmdb", #filePath] {
      let settings = Settings([PlaceDatabase.setting: path])
      _ = PlaceDatabase(settings)
      #expect(throws: Settings.Invalid.self) { try settings.check() }
    }
  }

  @Test(
    "The distance of two places is that on the globe",
    arguments: [
      ((40.4168, -3.7038), (41.3874, 2.1686), 505.0), ((40.4168, -3.7038), (35.6762, 139.6503), 10_761),
      ((0, 179.5), (0, -179.5), 111), ((90, 0), (-90, 0), 20_015), ((1, 1), (1, 1), 0),
    ])
  func distances(one: (Double, Double), other: (Double, Double), kilometres: Double) {
    let found = Coordinates(latitude: one.0, longitude: one.1).kilometres(
      to: Coordinates(latitude: other.0, longitude: other.1))
    #expect(abs(found - kilometres) < 5 + kilometres / 500)
  }

  @Test("Places are shown in the list of sessions, in the account's language")
  func sessions() async throws {
    try await RunningIdentity.run(settings: Self.settings) { identity in
      try await identity.register()
      let signedIn = try await identity.logIn(from: "203.0.113.9")
      #expect(signedIn.session.place.name == "Tokyo, Japan")
      let listed = try await identity.ask(ListSessions.self, .init(), by: .signedIn(signedIn)).items
      #expect(listed.map(\.place.city) == ["Tokyo"])
    }
  }
}
