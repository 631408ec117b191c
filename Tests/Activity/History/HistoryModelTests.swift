import ActivityContract
import Foundation
import InProcess
import Operations
import Sampling
import SocialContract
import SocialService
import Storage
import Testing

@testable import ActivityService

@Suite("The history compared with a simple model")
struct HistoryModelTests {
  static let words = ["sol", "Sol y mar", "mar", "Río", "rio grande", "té", "a", "ab", "aba", "LLUVIA", "lluvía fina", "ñu"]
  static let centres = [(40.4, -3.7), (40.43, -3.69), (-16.5, 179.99), (-16.5, -179.99), (89.99, 12.0), (89.98, -170.0)]

  struct World {
    var people: [Person] = []
    var entries: [PlantedEntry] = []
    var activities: [ActivityID] = []
    var generator = SeededGenerator(11)

    mutating func pick<T>(_ items: [T]) -> T { items[Int.random(in: 0..<items.count, using: &generator)] }
    mutating func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    mutating func place() -> EntryLocation {
      let (latitude, longitude) = happens(60) ? HistoryModelTests.centres[0] : pick(HistoryModelTests.centres)
      let (north, east) = (
        Double.random(in: -0.06...0.06, using: &generator), Double.random(in: -0.06...0.06, using: &generator)
      )
      return EntryLocation(
        latitude: min(90, latitude + north), longitude: (longitude + east).remainder(dividingBy: 360))
    }

    mutating func query() -> HistoryQuery {
      var query = HistoryQuery(limit: Int.random(in: 1...60, using: &generator))
      query.scope = pick([nil, .mine, .followed, .all])
      if happens(45) { query.activityIDs = (0..<Int.random(in: 1...4, using: &generator)).map { _ in pick(activities) } }
      if happens(45) { query.text = pick(["sol", "RIO", "s", "a", "ab", "lluvia", "y m", "té", "zz", "xyz", "mar", "ñ"]) }
      if happens(45) {
        let place = place()
        (query.latitude, query.longitude) = (place.latitude, place.longitude)
        query.radiusMeters = pick([nil, 1000, 5000, 20_000])
      }
      let base = LocalDay(daysSinceEpoch: 20_500)
      if happens(25) { query.from = base.advanced(by: Int.random(in: -10...150, using: &generator)) }
      if happens(25) { query.to = (query.from ?? base).advanced(by: Int.random(in: 0...120, using: &generator)) }
      return query
    }
  }

  /// Filters and sorts all there is, one by one, with another formula for distances.
  static func model(
    _ query: HistoryQuery, needsPlace: Bool, _ world: World, reader: AccountID, follows: Set<AccountID>
  ) -> [String] {
    let whose = query.scope ?? .mine
    var seen = world.entries.filter { whose != .followed && $0.owner == reader }
    if whose == .all { seen += world.entries.filter { follows.contains($0.owner) } }
    if whose == .followed {
      for (_, entries) in Dictionary(grouping: world.entries.filter { follows.contains($0.owner) }, by: \.activity) {
        seen += entries.max { $0.day < $1.day }.map { [$0] } ?? []
      }
    }
    let found = seen.filter { entry in
      if needsPlace, entry.place == nil { return false }
      if let activities = query.activityIDs, !activities.contains(entry.activity) { return false }
      if let from = query.from, entry.day < from { return false }
      if let to = query.to, entry.day > to { return false }
      if let text = query.text, entry.comment.map({ plain($0).contains(plain(text)) }) != true { return false }
      if let latitude = query.latitude, let longitude = query.longitude {
        guard let place = entry.place else { return false }
        return chord(latitude, longitude, place.latitude, place.longitude) <= Double(query.radiusMeters ?? 5000)
      }
      return true
    }
    return found.sorted { $0.day == $1.day ? $0.activity > $1.activity : $0.day > $1.day }.map { "\($0.day) \($0.activity)" }
  }

  static func plain(_ text: String) -> String {
    text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }

  static func chord(_ latitude: Double, _ longitude: Double, _ other: Double, _ otherLongitude: Double) -> Double {
    func vector(_ latitude: Double, _ longitude: Double) -> [Double] {
      let (a, b) = (latitude * .pi / 180, longitude * .pi / 180)
      return [cos(a) * cos(b), cos(a) * sin(b), sin(a)]
    }
    let (one, two) = (vector(latitude, longitude), vector(other, otherLongitude))
    let length = zip(one, two).reduce(0.0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
    return 2 * asin(min(1, length / 2)) * 6_371_008.8
  }

  /// The places of all pages.
  static func found(
    _ query: HistoryQuery, needsPlace: Bool, by reader: AccountID, _ store: Store
  ) async throws -> [String] {
    let (search, limit) = (try HistorySearch(query, needsPlace: needsPlace), query.limit ?? 50)
    return try await store.read { database in
      var (found, start) = ([String](), HistoryPosition?.none)
      repeat {
        let page = try HistoryStretch.find(
          query.scope ?? .mine, of: reader, search, behind: start, limit: limit + 1, now: .now, in: database
        ).prefix(limit)
        found += page.positions.map { "\($0.day) \($0.activity)" }
        start = page.end
      } while start != nil
      return found
    }
  }

  @Test("The history finds what a simple model finds, in its order, page by page, for 1,000 queries of every kind")
  func combinations() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      var world = World()
      for _ in 0..<4 {
        let person = try await services.register()
        world.people.append(person)
        // More of the reader's own than are looked through without asking by what to find them.
        let isReader = world.people.count == 1
        for number in 0..<(isReader ? 20 : 5) {
          let activity = try await person.makeActivity(startDay: "2026-01-01").id
          world.activities.append(activity)
          // Some are rarely done.
          for day in 0..<160 where world.happens(!isReader ? 50 : number % 4 == 0 ? 5 : 90) {
            var entry = PlantedEntry(
              owner: person.id, activity: activity, day: LocalDay(daysSinceEpoch: 20_500).advanced(by: day))
            if world.happens(50) { entry.comment = world.pick(Self.words) }
            if world.happens(60) { entry.place = world.place() }
            world.entries.append(entry)
          }
        }
      }
      try await services.plant(world.entries.shuffled(using: &world.generator))
      let ana = world.people[0]
      for friend in world.people[1...2] { try await services.follow(ana, friend) }
      let follows = Set(world.people[1...2].map(\.id))
      var (hits, misses) = (0, 0)
      for _ in 0..<1_000 {
        let (query, needsPlace) = (world.query(), world.happens(30))
        let expected = Self.model(query, needsPlace: needsPlace, world, reader: ana.id, follows: follows)
        let found = try await Self.found(query, needsPlace: needsPlace, by: ana.id, services.store(of: .activity))
        #expect(found == expected, "\(String(decoding: query.json, as: UTF8.self))")
        if expected.isEmpty { misses += 1 } else { hits += 1 }
      }
      #expect(hits > 500 && misses > 50, "\(hits) \(misses)")
    }
  }
}
