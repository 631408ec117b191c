import ActivityContract
import ActivityService
import Foundation
import GRDB
import GeneratedHistory
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

/// An activity with many entries is deleted in the store without waking the worker, so that what is asked then is asked while its rows are
/// there still.
@Suite("Deleting an activity with many entries")
struct DeletedActivityTests {
  static let last = LocalDay(daysSinceEpoch: 20_777)
  static let now = "2026-11-20T12:00:00.000Z"

  /// Two activities with an entry of each on each of so many days, of which one is to be deleted; a follower, and somebody else.
  private struct Scene {
    static let days = 120

    let ana: Person
    let ben: Person
    let gone: ActivityID
    let kept: ActivityID

    init(_ services: ServicesInProcess) async throws {
      (ana, ben) = (try await services.register(), try await services.register())
      gone = try await ana.makeActivity(title: "Gone", startDay: "2026-01-01").id
      kept = try await ana.makeActivity(title: "Kept", startDay: "2026-01-01").id
      let history = GeneratedHistory(of: ana.id, [gone, kept], days: Self.days, to: DeletedActivityTests.last)
      for part in history.parts {
        try await services.store(of: .activity).write { try history.write(part, in: $0.database) }
      }
      try await services.follow(ben, ana)
    }

    func delete(_ services: ServicesInProcess) async throws {
      let isLeft = try await services.store(of: .activity).write { [gone, ana] in try ActivityStore.delete(gone, of: ana.id, $0) }
      #expect(isLeft)
    }

    func remove(_ count: Int, _ services: ServicesInProcess) async throws {
      try await services.store(of: .activity).write { [gone] in _ = try DeletedActivityStore.remove(gone, limit: count, $0) }
    }

    /// All that is to be seen of the account's activities, by whoever may.
    func seen(_ services: ServicesInProcess) async throws -> [String] {
      var seen: [String] = []
      func see(_ name: String, _ document: some Document) {
        seen.append("\(name) \(String(decoding: document.json, as: UTF8.self))")
      }
      for (name, query) in [
        ("all", HistoryQuery()), ("text", HistoryQuery(text: "run")), ("of it", HistoryQuery(activityIDs: [gone])),
        ("of both", HistoryQuery(activityIDs: [gone, kept])),
        ("place", HistoryQuery(latitude: GeneratedHistory.home.latitude, longitude: GeneratedHistory.home.longitude)),
      ] {
        for item in try await ana.history(query) { see(name, item) }
        for point in try await ana.send(ListHistoryPoints.self, query).items { see("points, \(name)", point) }
      }
      for whose in [HistoryScope.followed, .all] {
        for item in try await ben.history(HistoryQuery(scope: whose)) { see("\(whose)", item) }
      }
      see("followed", try await ben.send(ListFollowedActivities.self, .init()))
      see("list", try await ana.send(ListActivities.self, .init()))
      see("day", try await ana.send(GetDay.self, .init(day: .day(DeletedActivityTests.last))))
      see("statistics", try await ana.send(GetStatistics.self, .init()))
      see("statistics for a follower", try await ben.send(GetStatistics.self, .init(accountID: ana.id)))
      let week = WeekOfAccount(accountID: ana.id, firstDay: DeletedActivityTests.last.monday.advanced(by: -7))
      see(
        "week",
        try await services.store(of: .activity).read { try ActivityWeekHandlers(calendars: AccountCalendars()).week(week, $0) })
      let day = DayName.day(DeletedActivityTests.last)
      seen += [
        "get \(try await ana.failure(GetActivity.self, .init(activityID: gone)) ?? "is there")",
        "delete \(try await ana.failure(DeleteActivity.self, .init(activityID: gone, confirm: true)) ?? "is there")",
        "calendar \(try await ana.failure(GetCalendar.self, .init(activityID: gone)) ?? "is there")",
        "series \(try await ana.failure(GetSeries.self, .init(activityID: gone)) ?? "is there")",
        "entry \(try await ana.failure(GetEntry.self, .init(activityID: gone, day: day)) ?? "is there")",
        "changes \(try await ana.failure(ListEntryChanges.self, .init(activityID: gone, day: day)) ?? "is there")",
        "record \(try await ana.failure(RecordEntry.self, .init(activityID: gone, day: day, isDone: true)) ?? "is there")",
        "archive \(try await ana.failure(ArchiveActivity.self, .init(activityID: gone)) ?? "is there")",
        "photo \(try await ben.failure(GetEntryPhoto.self, .init(activityID: gone, day: day)) ?? "is there")",
      ]
      for event in try await services.snapshot(of: .activity) where event.name != "entries.recorded" {
        #expect(!String(decoding: event.body, as: UTF8.self).contains(gone.description), "\(event.name)")
      }
      return seen
    }
  }

  @Test("A deleted activity with many entries is gone for everybody at once, whatever rows are still being removed")
  func hidden() async throws {
    try await ServicesInProcess.running(HistoryTests.services, at: Self.now) { services in
      let scene = try await Scene(services)
      let store = services.store(of: .activity)
      let before = try await scene.ana.send(GetStatistics.self, .init())
      #expect(before.doneCount == 2 * Scene.days && before.activityCount == 2)
      try await scene.delete(services)
      let seen = try await scene.seen(services)
      #expect(try await store.rows("entries") == 2 * Scene.days)
      let statistics = try await scene.ana.send(GetStatistics.self, .init())
      #expect(statistics.doneCount == Scene.days && statistics.activityCount == 1)
      #expect(try await scene.ana.history(.init()).map(\.activityID) == Array(repeating: scene.kept, count: Scene.days))
      #expect(seen.count { $0.hasPrefix("all ") } == 2 * Scene.days)
      #expect(!seen.contains { $0.contains("Gone") || $0.hasSuffix("is there") })
      // Some of its entries, then more of them, then all of it.
      for count in [30, 80] {
        try await scene.remove(count, services)
        #expect(try await scene.seen(services) == seen)
      }
      #expect(try await store.rows("entries") == 2 * Scene.days - 110)
      try await scene.remove(-1, services)
      #expect(try await scene.seen(services) == seen)
      #expect(try await store.rows("activities") == 1)
      #expect(try await store.rows("deleted_activities") == 0)
      for table in ["entries", "entry_comments", "entry_places"] {
        #expect(try await store.rows(table) == Scene.days, "\(table)")
      }
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT sum(done) FROM active_days") } == Scene.days)
      #expect(try await services.published(by: .activity).count { $0.name == "activities.deleted" } == 1)
    }
  }

  @Test("A deletion interrupted after any step continues when the service is started again", arguments: [0, 1, 2])
  func resumed(steps: Int) async throws {
    let (home, identity) = ("/tmp/racha-deleted-\(UInt32.random(in: .min ... .max))", IdentityDouble())
    defer { try? FileManager.default.removeItem(atPath: home) }
    let (scene, seen) = try await ServicesInProcess.running(
      HistoryTests.services, identity: identity, at: Self.now, home: home
    ) { services in
      let scene = try await Scene(services)
      try await scene.delete(services)
      for _ in 0..<steps { try await scene.remove(50, services) }
      return (scene.kept, try await scene.seen(services).filter { $0.hasPrefix("all ") })
    }
    #expect(seen.count == 2 * Scene.days)
    try await ServicesInProcess.running(HistoryTests.services, identity: identity, at: Self.now, home: home) { services in
      let store = services.store(of: .activity)
      try await store.until { try await store.rows("deleted_activities") == 0 }
      #expect(try await store.rows("entries") == Scene.days)
      #expect(try await store.rows("activities") == 1)
      #expect(try await store.read { try ActivityID.fetchAll($0, sql: "SELECT activity_id FROM activities") } == [scene])
    }
  }

  @Test("The worker removes a large activity in several steps; one with few entries is removed at once")
  func worker() async throws {
    try await ServicesInProcess.running(HistoryTests.services, at: Self.now) { services in
      let scene = try await Scene(services)
      let store = services.store(of: .activity)
      let small = try await scene.ana.makeActivity(title: "Small").id
      _ = try await scene.ana.send(RecordEntry.self, .init(activityID: small, day: .today, isDone: true))
      _ = try await scene.ana.send(DeleteActivity.self, .init(activityID: small, confirm: true))
      #expect(try await store.rows("entries") == 2 * Scene.days)
      #expect(try await store.rows("deleted_activities") == 0)
      _ = try await scene.ana.send(DeleteActivity.self, .init(activityID: scene.gone, confirm: true))
      try await store.until { try await store.rows("deleted_activities") == 0 }
      #expect(try await store.rows("entries") == Scene.days)
      #expect(try await store.rows("activities") == 1)
    }
  }

  @Test("Erasing an account also removes the remaining rows of its deleted activities")
  func erased() async throws {
    try await ServicesInProcess.running(HistoryTests.services, at: Self.now) { services in
      let scene = try await Scene(services)
      let store = services.store(of: .activity)
      try await store.write { [gone = scene.gone] transaction in
        try transaction.database.run(
          "INSERT INTO entry_deletions (activity_id, day, written_at) VALUES (?, ?, 0)", .id(gone),
          .day(Self.last.advanced(by: 1)))
      }
      try await scene.delete(services)
      try await services.delete(scene.ana, receivedBy: .activity)
      #expect(try await store.traces(of: scene.ana.id) == [])
      for table in ["activities", "entries", "entry_comments", "entry_places", "entry_deletions", "deleted_activities"] {
        #expect(try await store.rows(table) == 0, "\(table)")
      }
    }
  }

  @Test("A limit that is still open is not closed once its activity is deleted")
  func openLimit() async throws {
    try await ServicesInProcess.running(HistoryTests.services, at: Self.now) { services in
      let ana = try await services.register()
      let limit = try await ana.makeActivity(goal: .quantity(2, unit: "cups", .atMost), startDay: "2026-01-01").id
      try await services.plant(
        (1...60).map { PlantedEntry(owner: ana.id, activity: limit, day: Self.last.advanced(by: -$0)) })
      _ = try await ana.send(RecordEntry.self, .init(activityID: limit, day: .today, amount: 1))
      let store = services.store(of: .activity)
      #expect(try await store.write { try ActivityStore.delete(limit, of: ana.id, $0) })
      let calendars = AccountCalendars()
      try services.clock.set("2026-11-21T12:00:00.000Z")
      try await store.write { try OpenLimitStore.close(calendars, $0) }
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(closes_at) FROM entries") } == 0)
      #expect(try await services.published(by: .activity).last?.name == "activities.deleted")
    }
  }

  @Test("Every table that references activities is classified as large or small")
  func tables() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let tables = try await services.store(of: .activity).read { database in
        try String.fetchAll(
          database,
          sql: """
            SELECT DISTINCT tables.name FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name) AS keys
            WHERE tables.type = 'table' AND keys."table" = 'activities'
            """)
      }
      let known = Set(DeletedActivityStore.large.keys).union(DeletedActivityStore.small).union(["deleted_activities"])
      #expect(Set(tables) == known)
    }
  }
}
