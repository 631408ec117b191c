import ActivityContract
import ActivityService
import Foundation
import GRDB
import GRDBSQLite
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
  static let last = LocalDay(daysSinceEpoch: 20_777)

  /// Fills the last days with an entry of each activity, each with a comment and a place; 274 activities and 3,650 days make a million.
  ///
  /// The oldest comment is like no other, and one entry in a thousand is far from home.
  private func fill(_ services: ServicesInProcess, _ person: Person, days: Int, activities count: Int) async throws
    -> [ActivityID]
  {
    var activities: [ActivityID] = []
    for number in 0..<count {
      activities.append(try await person.makeActivity(title: "Activity \(number)", startDay: "2010-01-01").id)
    }
    let (ids, owner, store) = (activities, person.id, services.store(of: .activity))
    let words = "run walk slow fast rain sun tired good great bad home park gym water book page long short cold warm lago rio"
    let account = try await store.write { try HistoryAccounts.number(ofNew: owner, in: $0.database) }
    for start in stride(from: 0, to: days, by: 100) {
      try await store.write { transaction in
        let database = transaction.database
        try database.execute(sql: "CREATE TEMP TABLE word (n INTEGER PRIMARY KEY, text TEXT)")
        try database.execute(sql: "CREATE TEMP TABLE planted (n INTEGER PRIMARY KEY, activity_id BLOB)")
        for (n, word) in words.split(separator: " ").enumerated() {
          try database.execute(sql: "INSERT INTO word VALUES (?, ?)", arguments: [n, String(word)])
        }
        for (n, id) in ids.enumerated() { try database.execute(sql: "INSERT INTO planted VALUES (?, ?)", arguments: [n, id]) }
        try database.execute(
          sql: """
            WITH RECURSIVE day (n) AS (SELECT :start UNION ALL SELECT n + 1 FROM day WHERE n + 1 < :end),
            planned AS (SELECT activity_id, :last - day.n AS day, abs((day.n * 7919 + planted.n * 104729) * 2654435761 % 1000003) AS r,
              day.n = :days - 1 AND planted.n = 0 AS is_rare FROM day, planted)
            INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, progress_at, comment)
            SELECT activity_id, day, :owner, 1, 1, 0, 0, iif(is_rare, 'xylophone', (SELECT text FROM word WHERE n = r % 22) || ' ' ||
              (SELECT text FROM word WHERE n = r / 22 % 22) || ' ' || (SELECT text FROM word WHERE n = r / 484 % 22))
            FROM planned
            """,
          arguments: [
            "start": start, "end": min(days, start + 100), "days": days, "last": Self.last, "owner": owner,
          ])
        let range: StatementArguments = [
          "first": Self.last.advanced(by: -min(days, start + 100) + 1), "last": Self.last.advanced(by: -start),
        ]
        try database.execute(
          sql: """
            INSERT INTO entry_comments (comment_id, activity_id, day, folded)
            SELECT ((:account << 18 | day) << 21) + n, activity_id, day, comment FROM entries JOIN planted USING (activity_id)
            WHERE day BETWEEN :first AND :last ORDER BY day, n
            """, arguments: range + ["account": account])
        try database.execute(
          sql: """
            INSERT INTO entry_places (account_id, activity_id, day, latitude, longitude)
            SELECT account_id, activity_id, day, 40.4 + iif((day * 274 + n) % 1000 = 0, 5, 0) + (day * 31 + n * 17) % 1000 / 25000.0 - 0.02,
              -3.7 + (day * 37 + n * 13) % 1000 / 25000.0 - 0.02
            FROM entries JOIN planted USING (activity_id) WHERE day BETWEEN :first AND :last ORDER BY day, n
            """, arguments: range)
        try database.execute(sql: "DROP TABLE word; DROP TABLE planted")
      }
    }
    return activities
  }

  /// Every filter and their combinations, by name.
  private func queries(_ activities: [ActivityID], days: Int) -> [(name: String, query: HistoryQuery)] {
    let last = Self.last
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
      ("frequent text", HistoryQuery(text: "RÍO")), ("rare text", HistoryQuery(text: "xylo")),
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

  /// What the store does for a page: the shortest of some tries, in milliseconds of the processor, and how many tens of steps SQLite's machine takes.
  private struct Effort {
    var milliseconds = Double.infinity
    var steps = 0
  }

  /// What the thread has had of the processor, so that what else the machine does is left out.
  private static var processorMilliseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }

  private func effort(_ store: Store, _ body: @escaping @Sendable (Database) throws -> Void) async throws -> Effort {
    try await store.read { database in
      var effort = Effort()
      for _ in 0..<5 {
        let start = Self.processorMilliseconds
        try body(database)
        effort.milliseconds = min(effort.milliseconds, Self.processorMilliseconds - start)
      }
      try withUnsafeMutablePointer(to: &effort.steps) { steps in
        sqlite3_progress_handler(
          database.sqliteConnection, 10,
          { steps in
            steps?.assumingMemoryBound(to: Int.self).pointee += 1
            return 0
          }, steps)
        defer { sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
        try body(database)
      }
      return effort
    }
  }

  private func times(
    days: Int, activities count: Int, limit: Int
  ) async throws -> [(name: String, found: Int, effort: Effort)] {
    try await ServicesInProcess.running(HistoryTests.services, at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let activities = try await fill(services, ana, days: days, activities: count)
      for _ in 0..<10 {
        let friend = try await services.register()
        let walk = try await friend.makeActivity(startDay: "2010-01-01").id
        try await services.plant(
          (0..<30).map { PlantedEntry(owner: friend.id, activity: walk, day: Self.last.advanced(by: -$0)) })
        try await services.follow(ana, friend)
      }
      let (store, account, calendars, now) = (services.store(of: .activity), ana.id, AccountCalendars(), services.clock.now)
      var results: [(name: String, found: Int, effort: Effort)] = []
      for (name, query) in queries(activities, days: days) {
        let found = try await ana.send(ListHistory.self, query).items.count
        let search = try HistorySearch(query, needsPlace: false)
        let effort = try await effort(store) { database in
          let scope = query.whose ?? .mine
          let stretch = try HistoryStretch.find(scope, of: account, search, behind: nil, limit: limit + 1, in: database)
          var items = try HistoryItems(calendars, now: now, in: database)
          for position in stretch.prefix(limit).positions { _ = try items.item(at: position) }
        }
        results.append((name, found, effort))
      }
      let today = Self.last
      let effort = try await effort(store) { _ = try ActiveDays.statistics(of: account, today: today, in: $0) }
      return results + [("statistics", 1, effort)]
    }
  }

  @Test("a first page of 50 takes at most 10 ms at a million entries", .enabled(if: entries != nil))
  func measured() async throws {
    let days = 3650
    for (name, found, effort) in try await times(days: days, activities: max(1, (Self.entries ?? 0) / days), limit: 50) {
      print(String(format: "%8.2f ms %5d  ", effort.milliseconds, found) + name)
      #expect(effort.milliseconds <= 10, "\(name)")
    }
  }

  @Test(
    "a first page among ten times the entries takes about as many steps, whatever is looked for", .enabled(if: entries == nil))
  func ratio() async throws {
    let small = try await times(days: 100, activities: 5, limit: 3)
    let large = try await times(days: 1000, activities: 5, limit: 3)
    // What has no index goes through a bounded number of comments, which are more than these; statistics, through days. What is narrowed
    // looks at no more than a bounded number of entries, a step or so each: going through them all takes tens of thousands.
    for (one, ten) in zip(small, large) where one.name != "two characters, not there" && one.name != "statistics" {
      #expect(ten.effort.steps <= 2 * one.effort.steps + 3000, "\(one.name): \(one.effort.steps), \(ten.effort.steps)")
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
