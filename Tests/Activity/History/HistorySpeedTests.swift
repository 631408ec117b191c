import ActivityContract
import ActivityService
import Foundation
import GRDB
import InProcess
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@testable import ActivityService

/// How long first pages take, and by which indexes they are found.
///
/// `RACHA_TEST_HISTORY_ENTRIES=1000000` fills one account with as many entries and prints a line for each filter; without it two small
/// stores are compared, the larger with ten times the entries.
@Suite("The speed of the history", .serialized)
struct HistorySpeedTests {
  static let entries = ProcessInfo.processInfo.environment["RACHA_TEST_HISTORY_ENTRIES"].flatMap { Int($0) }
  static let home = (40.4, -3.7)

  /// 274 activities for 3,650 days make a million.
  private func fill(_ services: ServicesInProcess, _ person: Person, days: Int, activities count: Int) async throws
    -> [ActivityID]
  {
    var activities: [ActivityID] = []
    for number in 0..<count {
      activities.append(try await person.makeActivity(title: "Activity \(number)", startDay: "2010-01-01").id)
    }
    let ids = activities
    let words = "run walk slow fast rain sun tired good great bad home park gym water book page long short cold warm lago río"
      .split(
        separator: " ")
    let store = services.store(of: .activity)
    let last = LocalDay(daysSinceEpoch: 20_777)
    for start in stride(from: 0, to: days, by: 50) {
      try await store.write { transaction in
        var generator = SeededGenerator(UInt64(start))
        for day in start..<min(days, start + 50) {
          for (index, activity) in ids.enumerated() {
            let comment = (0..<3).map { _ in words[Int.random(in: 0..<words.count, using: &generator)] }.joined(separator: " ")
            // The oldest comment is like no other; one entry in a thousand is far from home.
            let isAway = (day * count + index) % 1000 == 999
            let (north, east) = (
              Double.random(in: -0.02...0.02, using: &generator), Double.random(in: -0.02...0.02, using: &generator)
            )
            try PlantedEntry(
              owner: person.id, activity: activity, day: last.advanced(by: -day),
              comment: day == days - 1 && index == 0 ? "xylophone" : String(comment.prefix(20)),
              place: EntryLocation(latitude: Self.home.0 + (isAway ? 5 : 0) + north, longitude: Self.home.1 + east)
            ).keep(in: transaction.database)
          }
        }
      }
    }
    return activities
  }

  /// Every filter and their combinations, by name.
  private func queries(_ activities: [ActivityID], days: Int) -> [(name: String, query: HistoryQuery)] {
    let last = LocalDay(daysSinceEpoch: 20_777)
    let near = HistoryQuery(latitude: Self.home.0, longitude: Self.home.1)
    let far = HistoryQuery(latitude: Self.home.0 + 5, longitude: Self.home.1)
    let some = HistoryQuery(activityIDs: Array(activities.prefix(5)))
    func with(_ query: HistoryQuery, _ change: (inout HistoryQuery) -> Void) -> HistoryQuery {
      var query = query
      change(&query)
      return query
    }
    let early = (last.advanced(by: -days), last.advanced(by: -days * 9 / 10))
    return [
      ("all of mine", HistoryQuery()), ("oldest days", HistoryQuery(from: early.0, to: early.1)), ("5 activities", some),
      ("frequent text", HistoryQuery(text: "RIO")), ("rare text", HistoryQuery(text: "xylo")),
      ("text that is not there", HistoryQuery(text: "zzzz")), ("two characters", HistoryQuery(text: "ru")),
      ("two characters, not there", HistoryQuery(text: "zz")), ("near home", near), ("near a rare place", far),
      ("nowhere near", HistoryQuery(latitude: 0, longitude: 0)),
      ("near home, 5 activities", with(near) { $0.activityIDs = some.activityIDs }),
      ("near a rare place, 5 activities", with(far) { $0.activityIDs = some.activityIDs }),
      ("near home, frequent text", with(near) { $0.text = "rain" }),
      ("near a rare place, frequent text", with(far) { $0.text = "rain" }),
      ("near a rare place, rare text", with(far) { $0.text = "xylo" }),
      ("5 activities, frequent text", with(some) { $0.text = "rain" }),
      ("5 activities, rare text", with(some) { $0.text = "xylo" }),
      ("everything", with(near) { ($0.activityIDs, $0.text, $0.from, $0.to) = (some.activityIDs, "rain", early.0, early.1) }),
      ("followed too", HistoryQuery(whose: .all)),
    ]
  }

  /// The shortest of some tries of what the store does for a page, in milliseconds.
  private func time(_ store: Store, _ body: @escaping @Sendable (Database) throws -> Void) async throws -> Double {
    try await store.read { database in
      var best = Duration.seconds(1000)
      for _ in 0..<5 { best = min(best, try ContinuousClock().measure { try body(database) }) }
      return Double(best.components.attoseconds) / 1e15 + Double(best.components.seconds) * 1000
    }
  }

  private func times(
    days: Int, activities count: Int, limit: Int
  ) async throws -> [(name: String, found: Int, milliseconds: Double)] {
    try await ServicesInProcess.running(HistoryTests.services, at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let activities = try await fill(services, ana, days: days, activities: count)
      for _ in 0..<10 {
        let friend = try await services.register()
        let walk = try await friend.makeActivity(startDay: "2010-01-01").id
        try await services.plant(
          (0..<30).map { PlantedEntry(owner: friend.id, activity: walk, day: LocalDay(daysSinceEpoch: 20_777 - $0)) })
        try await services.follow(ana, friend)
      }
      let (store, account, calendars, now) = (services.store(of: .activity), ana.id, AccountCalendars(), services.clock.now)
      var results: [(name: String, found: Int, milliseconds: Double)] = []
      for (name, query) in queries(activities, days: days) {
        let found = try await ana.send(ListHistory.self, query).items.count
        let search = try HistorySearch(query, needsPlace: false)
        let milliseconds = try await time(store) { database in
          var stretch = try OwnHistory.stretch(of: account, search, behind: nil, limit: limit + 1, in: database)
          if query.whose == .all {
            stretch = stretch.merged(
              with: try FollowedHistory.stretch(of: account, search, behind: nil, limit: limit + 1, in: database))
          }
          var items = try HistoryItems(calendars, now: now, in: database)
          for position in stretch.prefix(limit).positions { _ = try items.item(at: position) }
        }
        results.append((name, found, milliseconds))
      }
      let today = LocalDay(daysSinceEpoch: 20_777)
      let milliseconds = try await time(store) { _ = try ActiveDays.statistics(of: account, today: today, in: $0) }
      return results + [("statistics", 1, milliseconds)]
    }
  }

  @Test("a first page of 50 takes at most 10 ms at a million entries", .enabled(if: entries != nil))
  func measured() async throws {
    let days = 3650
    for (name, found, milliseconds) in try await times(days: days, activities: max(1, (Self.entries ?? 0) / days), limit: 50) {
      print(String(format: "%8.2f ms %5d  ", milliseconds, found) + name)
      #expect(milliseconds <= 10, "\(name)")
    }
  }

  @Test("a first page of ten times the entries takes about as long, whatever is looked for", .enabled(if: entries == nil))
  func ratio() async throws {
    let small = try await times(days: 100, activities: 5, limit: 3)
    let large = try await times(days: 1000, activities: 5, limit: 3)
    // What has no index goes through a bounded number of comments, which are more than these; statistics, through days.
    for (one, ten) in zip(small, large) where one.name != "two characters, not there" && one.name != "statistics" {
      #expect(ten.milliseconds <= 4 * one.milliseconds + 4, "\(one.name): \(one.milliseconds) ms, \(ten.milliseconds) ms")
    }
  }

  @Test("no statement of it looks through a table, or sorts what it could read in order")
  func plans() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      for sql in [
        OwnHistory.entries, OwnHistory.places, HistoryActivities.entries, HistoryActivities.places, HistoryActivities.compared,
        OwnHistory.comments,
        OwnHistory.shortComments, HistoryPlaces.near, FollowedHistory.latest,
      ] {
        let steps = try await services.store(of: .activity).read { database in
          try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql.replacing(/\?[0-9]*/, with: "'a'"))").map {
            $0["detail"] as String
          }
        }
        let wrong = steps.filter { step in
          let isScan = step.hasPrefix("SCAN ") && !step.contains("VIRTUAL TABLE INDEX") && step != "SCAN latest"
          return isScan || (step.contains("TEMP B-TREE") && sql != FollowedHistory.latest)
        }
        #expect(wrong.isEmpty, "\(sql)\n\(steps.joined(separator: "\n"))")
      }
    }
  }
}
