import ActivityContract
import EarlierStores
import GRDB
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("A limit is kept once its day is over, and not before (ACT-15)")
struct OpenLimitTests {
  /// One hour of screen a day at most, in Madrid.
  private func running(_ body: (ServicesInProcess, Person, ActivityID) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      try await body(
        services, ana, try await ana.makeActivity(goal: .duration(seconds: 3600, .atMost), startDay: "2026-11-20").id)
    }
  }

  private func published(_ services: ServicesInProcess) async throws -> [EntryRecorded] {
    try await services.published(by: .activity).filter { $0.name == EntryRecorded.spec.name }.map {
      try EntryRecorded.decode($0.body)
    }
  }

  private func record(_ person: Person, _ id: ActivityID, _ seconds: Int, on day: String = "2026-11-21") async throws -> Entry {
    try await person.send(RecordEntry.self, .init(activityID: id, day: .init(text: day), durationSeconds: seconds))
  }

  @Test(
    "A limit is not done while its day is open; the end of the day is published once"
  )
  func published() async throws {
    try await running { services, ana, id in
      let name = EntryName(activityID: id, day: .day(try LocalDay(text: "2026-11-21")))
      let entry = try await record(ana, id, 600)
      let marked = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true))
      #expect(!entry.isDone && !marked.isDone && marked.durationSeconds == 600)
      #expect(try await ana.send(GetStatistics.self, .init()).doneCount == 0)
      #expect(try await published(services).map(\.isDone) == [false])
      #expect(try await ana.send(ListHistory.self, .init()).items.map(\.state) == [.pending])
      // A second before midnight in Madrid.
      try services.clock.set("2026-11-21T22:59:59.999Z")
      #expect(try await !ana.send(GetEntry.self, name).isDone)
      try services.clock.set("2026-11-21T23:00:00.000Z")
      #expect(try await ana.send(GetEntry.self, name).isDone)
      let events = try await ana.answer(from: .activity) { () -> [EntryRecorded]? in
        let events = try await self.published(services)
        return events.count > 1 ? events : nil
      }
      #expect(events.map(\.isDone) == [false, true] && events.map(\.durationSeconds) == [600, 600])
      #expect(events.map(\.recordedAt) == [entry.recordedAt, entry.recordedAt] && !events[1].isDeleted)
      #expect(try await ana.send(GetStatistics.self, .init()).doneCount == 1)
      #expect(try await ana.send(ListHistory.self, .init()).items.map(\.state) == [.done])
      try services.clock.set("2026-11-22T12:00:00.000Z")
      try await close(services)
      #expect(try await published(services).count == 2)
    }
  }

  /// Does what the closer does when it looks.
  private func close(_ services: ServicesInProcess) async throws {
    try await services.store(of: .activity).write { try OpenLimitStore.close(AccountCalendars(), $0) }
  }

  @Test("A limit written after its day is over is done at once, unless it is exceeded")
  func over() async throws {
    try await running { services, ana, id in
      #expect(try await record(ana, id, 600, on: "2026-11-20").isDone)
      #expect(try await !record(ana, id, 3601, on: "2026-11-20").isDone)
      #expect(try await !record(ana, id, 3601).isDone)
      try services.clock.set("2026-11-22T12:00:00.000Z")
      try await close(services)
      #expect(try await published(services).map(\.isDone) == [true, false, false])
      #expect(try await ana.send(GetStatistics.self, .init()).doneCount == 0)
      let open = try await services.store(of: .activity).read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM entries WHERE closes_at IS NOT NULL")
      }
      #expect(open == 0)
    }
  }

  @Test("Today's entry reopens when its goal becomes a limit, and closes when it stops being one")
  func changed() async throws {
    try await running { services, ana, _ in
      let read = try await ana.makeActivity(goal: .quantity(10, unit: "pages"), startDay: "2026-11-20").id
      _ = try await ana.send(RecordEntry.self, .init(activityID: read, day: .today, amount: 10))
      _ = try await ana.send(
        UpdateActivity.self, .init(activityID: read, goal: .set(.quantity(10, unit: "pages", .atMost))))
      #expect(try await published(services).map(\.isDone) == [true, false])
      _ = try await ana.send(UpdateActivity.self, .init(activityID: read, goal: .set(.quantity(5, unit: "pages"))))
      #expect(try await published(services).map(\.isDone) == [true, false, true])
      _ = try await ana.send(
        UpdateActivity.self, .init(activityID: read, goal: .set(.quantity(12, unit: "pages", .atMost))))
      try services.clock.set("2026-11-21T23:00:00.000Z")
      try await close(services)
      #expect(try await published(services).map(\.isDone).prefix(5) == [true, false, true, false, true])
    }
  }

  @Test("A limit's day that travelling ends earlier or later is closed when it ends in the current time zone")
  func travelling() async throws {
    try await running { services, ana, id in
      _ = try await record(ana, id, 600)
      try await close(services)
      func closing() async throws -> Instant? {
        try await services.store(of: .activity).read { try Instant.fetchOne($0, sql: "SELECT closes_at FROM entries") }
      }
      let (inMadrid, inNewYork) = (try Instant(text: "2026-11-21T23:00:00.000Z"), try Instant(text: "2026-11-22T05:00:00.000Z"))
      #expect(try await closing() == inMadrid)
      // West: the day lasts until five in the morning, UTC.
      try await services.move(ana, to: "America/New_York", receivedBy: .activity)
      try services.clock.set("2026-11-21T23:30:00.000Z")
      try await close(services)
      #expect(try await closing() == inNewYork)
      #expect(try await published(services).count == 1)
      // East: it is over.
      try await services.move(ana, to: "Asia/Tokyo", receivedBy: .activity)
      try await close(services)
      #expect(try await published(services).map(\.isDone) == [false, true])
    }
  }

  @Test("Limits of earlier stores are open again on days that are still open, and stay done on past days")
  func upgrade() async throws {
    let before = [
      ActivityMigrations.accounts, ActivityStore.migration(2), EntryStore.migration(3), ActivityVersionStore.migration(4),
      EntryStore.detailsMigration(5), ActiveDayStore.migration(6),
    ]
    let account = AccountID()
    let today = LocalDay(daysSinceEpoch: Int32(Instant.now.milliseconds / LocalCalendar.dayLength))
    try await UpgradedStore.upgrading(.activity, before, by: [OpenLimitStore.migration(7)]) { transaction in
      let database = transaction.database
      for direction in ["atMost", "atLeast"] {
        let activity = ActivityID()
        try database.execute(
          sql: "INSERT INTO activities (activity_id, account_id, title, category, created_at) VALUES (?, ?, 'Leer', 'other', 1)",
          arguments: [activity, account])
        try database.execute(
          sql: """
            INSERT INTO activity_versions (activity_id, from_day, account_id, goal_kind, goal_target, goal_direction, schedule_kind,
              schedule_code, anchor_day, start_day) VALUES (?, -719162, ?, 'duration', 60, ?, 'daily', 0, 0, 0)
            """, arguments: [activity, account, direction])
        for day in [today, today.advanced(by: -10)] {
          try database.execute(
            sql: """
              INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, progress_at)
              VALUES (?, ?, ?, 60, 1, 9, 9)
              """, arguments: [activity, day, account])
        }
      }
    } check: { store in
      let (open, done) = try await store.read { database in
        (
          try LocalDay.fetchAll(database, sql: "SELECT day FROM entries WHERE closes_at = 0 AND is_done = 0"),
          try Int.fetchAll(database, sql: "SELECT done FROM active_days ORDER BY day")
        )
      }
      #expect(open == [today] && done == [2, 1])
    }
  }
}
