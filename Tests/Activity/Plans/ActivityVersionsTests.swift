import ActivityContract
import Foundation
import GRDB
import InProcess
import Logging
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Versions of what an activity asks for")
struct ActivityVersionsTests {
  private func running(_ body: (ServicesInProcess, Person) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ .activity($0) }], at: "2026-11-20T12:00:00.000Z") { services in
      try await body(services, try await services.register())
    }
  }

  /// What editing an activity does with its terms.
  private func change(
    _ activity: Activity, of person: Person, in services: ServicesInProcess, on today: String = "2026-11-20",
    _ change: @escaping @Sendable (inout ActivityTerms) -> Void
  ) async throws -> Activity {
    let account = person.id
    return try await services.store(of: .activity).write { transaction in
      var terms = ActivityTerms(
        goal: activity.goal, schedule: activity.schedule, startDay: activity.startDay, endDay: activity.endDay)
      change(&terms)
      try ActivityVersions.change(
        activity.id, of: account, to: terms, today: try LocalDay(text: today), transaction)
      return try Activities.find(activity.id, of: account, in: transaction.database)
    }
  }

  private func states(_ activity: Activity, of person: Person) async throws -> [DayState?] {
    try await person.send(GetCalendar.self, .init(activityID: activity.id, format: .week)).days.map(\.state)
  }

  @Test("T01.02: a changed schedule holds from today on, and leaves past days as they were")
  func schedule() async throws {
    try await running { services, ana in
      let walk = try await ana.makeActivity(startDay: "2026-11-16")
      _ = try await ana.record(walk, on: "2026-11-17")
      let changed = try await change(walk, of: ana, in: services) { $0.schedule = .weekdays([6]) }
      #expect(changed.schedule == .weekdays([6]) && changed.startDay == walk.startDay)
      #expect(try await states(walk, of: ana) == [.failed, .done, .failed, .failed, nil, .pending, nil])
      #expect(try await ana.failure(RecordEntry.self, .init(activityID: walk.id, day: .today, isDone: true)) == "not_planned")
      _ = try await ana.record(walk, on: "2026-11-18")
      #expect(try await ana.streak(of: walk) == Streak(current: 0, longest: 2))
      // Changed once more on the same day, only the last counts.
      let again = try await change(changed, of: ana, in: services) { $0.schedule = .weekdays([7]) }
      #expect(try await states(again, of: ana) == [.failed, .done, .done, .failed, nil, nil, .pending])
      #expect(try await services.store(of: .activity).rows("activity_versions") == 2)
      #expect(try await ana.send(ListActivities.self, .init()).items.map(\.activity) == [again])
    }
  }

  @Test("a changed goal judges today anew and tells of it, and leaves past days as they were")
  func goal() async throws {
    try await running { services, ana in
      let read = try await ana.makeActivity(goal: .quantity(10, unit: "pages"), startDay: "2026-11-18")
      for day in ["2026-11-18", "2026-11-19", "2026-11-20"] {
        _ = try await ana.send(RecordEntry.self, .init(activityID: read.id, day: .init(text: day), amount: 10))
      }
      let changed = try await change(read, of: ana, in: services) { $0.goal = .quantity(20, unit: "pages") }
      #expect(try await states(changed, of: ana) == [nil, nil, .done, .done, .partly, .pending, .pending])
      let told = try await services.told(by: .activity)
      let last = try EntryRecorded.decode(try #require(told.last).body)
      #expect(last.day.description == "2026-11-20" && !last.isDone && last.amount == 10)
      #expect(try await ana.streak(of: read) == Streak(current: 2, longest: 2))
      let limit = try await change(changed, of: ana, in: services) { $0.goal = .quantity(5, unit: "pages", .atMost) }
      #expect(try await states(limit, of: ana) == [nil, nil, .done, .done, .failed, .pending, .pending])
    }
  }

  @Test("what today's entry could not be of holds from tomorrow on")
  func tomorrow() async throws {
    try await running { services, ana in
      let read = try await ana.makeActivity(goal: .quantity(10, unit: "pages"), startDay: "2026-11-19")
      _ = try await ana.send(RecordEntry.self, .init(activityID: read.id, day: .today, amount: 10))
      let hours = try await change(read, of: ana, in: services) { $0.goal = .duration(seconds: 3600) }
      #expect(hours.goal == .duration(seconds: 3600))
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: read.id, format: .week))
      #expect(calendar.days[4].state == .done && calendar.days[4].amount == 10)
      let unplanned = try await change(hours, of: ana, in: services) { $0.schedule = .weekdays([7]) }
      #expect(try await states(unplanned, of: ana) == [nil, nil, nil, .failed, .done, nil, .pending])
    }
  }

  @Test("an earlier start day opens the days from then on; a later one is waited for from today on")
  func start() async throws {
    try await running { services, ana in
      let walk = try await ana.makeActivity(startDay: "2026-11-18")
      let earlier = try await change(walk, of: ana, in: services) { $0.startDay = LocalDay(daysSinceEpoch: 20_773) }
      #expect(earlier.startDay.description == "2026-11-16")
      #expect(try await states(walk, of: ana) == [.failed, .failed, .failed, .failed, .pending, .pending, .pending])
      let later = try await change(earlier, of: ana, in: services) { $0.startDay = LocalDay(daysSinceEpoch: 20_778) }
      #expect(later.startDay.description == "2026-11-21")
      #expect(try await states(walk, of: ana) == [.failed, .failed, .failed, .failed, nil, .pending, .pending])
      let ended = try await change(later, of: ana, in: services) { $0.endDay = LocalDay(daysSinceEpoch: 20_778) }
      #expect(try await states(ended, of: ana) == [.failed, .failed, .failed, .failed, nil, .pending, nil])
    }
  }

  @Test("of an activity that has not begun nothing of the former terms remains")
  func notBegun() async throws {
    try await running { services, ana in
      let walk = try await ana.makeActivity()
      let changed = try await change(walk, of: ana, in: services) {
        $0.startDay = LocalDay(daysSinceEpoch: 20_773)
        $0.schedule = .everyNDays(3)
      }
      #expect(try await states(changed, of: ana) == [.failed, nil, nil, .failed, nil, nil, .pending])
      #expect(try await services.store(of: .activity).rows("activity_versions") == 1)
    }
  }

  @Test("every so many days goes on counting from where it did, unless it is changed")
  func anchor() async throws {
    try await running { services, ana in
      let walk = try await ana.makeActivity(schedule: .everyNDays(3), startDay: "2026-11-16")
      let ended = try await change(walk, of: ana, in: services) { $0.endDay = LocalDay(daysSinceEpoch: 20_900) }
      #expect(try await states(ended, of: ana) == [.failed, nil, nil, .failed, nil, nil, .pending])
      let often = try await change(ended, of: ana, in: services) { $0.schedule = .everyNDays(2) }
      #expect(try await states(often, of: ana) == [.failed, nil, nil, .failed, .pending, nil, .pending])
    }
  }

  @Test("an end day may not be before the start day, which is today by default")
  func endDay() async throws {
    try await running { _, ana in
      var input = CreateActivity.Input(title: "Fast", category: .health, goal: .check, schedule: .daily)
      input.endDay = try LocalDay(text: "2026-11-19")
      #expect(try await ana.refusedFields(CreateActivity.self, input) == ["endDay ends_before"])
      input.startDay = try LocalDay(text: "2026-11-21")
      #expect(try await ana.refusedFields(CreateActivity.self, input) == ["endDay ends_before"])
      input.endDay = input.startDay
      let made = try await ana.send(CreateActivity.self, input)
      #expect(made.endDay == input.endDay)
      #expect(try await states(made, of: ana) == [nil, nil, nil, nil, nil, .pending, nil])
    }
  }

  @Test("an activity from before has one version, with all that it asked for")
  func upgrade() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("racha-plans-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: file + end) } }
    func open(_ migrations: [Migration]) throws -> Store {
      try Store(
        path: file, service: .activity, migrations: migrations, secret: [UInt8](repeating: 1, count: 32),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    let before = [Accounts.migration(1), Activities.migration(2), Entries.migration(3)]
    let old = try open(before)
    try await old.write { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO activities (activity_id, account_id, title, category, goal_kind, goal_target, goal_unit, schedule_kind,
            schedule_bits, start_day, created_at)
          VALUES (zeroblob(16), zeroblob(16), 'Read', 'reading', 'quantity', 2500, 'pages', 'monthDays', 2147483650, 20000, 1);
          INSERT INTO entries (activity_id, day, progress, is_done, recorded_at) VALUES (zeroblob(16), 20001, 2500, 1, 2);
          """)
    }
    await old.close()
    let new = try open(before + [ActivityVersions.migration(4), ActivitySchema.migration(5), Ties.migration(6)])
    let (activity, goal, entries) = try await new.read { database in
      (
        try Activities.find(.placeholder, of: .placeholder, in: database),
        try Activities.goal(
          .placeholder, of: .placeholder, on: LocalDay(daysSinceEpoch: 20_100), today: LocalDay(daysSinceEpoch: 20_100),
          in: database),
        try Entries.progress(of: .placeholder, in: database)
      )
    }
    #expect(activity.title == "Read" && activity.goal == .quantity(2.5, unit: "pages") && activity.endDay == nil)
    #expect(activity.schedule == .monthDays([1, 31]) && activity.startDay.daysSinceEpoch == 20_000)
    #expect(goal.measure == GoalMeasure(kind: .quantity, target: 2500) && goal.startDay == activity.startDay)
    #expect(entries == [DayProgress(day: LocalDay(daysSinceEpoch: 20_001), progress: 2500)])
    // What is deleted with it is.
    try await new.write { try $0.database.execute(sql: "DELETE FROM entries; DELETE FROM activities") }
    #expect(try await new.read { try ActivityVersions.list(of: .placeholder, in: $0) } == [])
    await new.close()
  }
}
