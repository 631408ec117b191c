import ActivityContract
import EarlierStores
import GRDB
import IdentityContract
import InProcess
import Operations
import Sampling
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Streaks are published as they change (ACT-10, SOC-6)")
struct StreakChangeTests {
  /// The streaks of an activity in the order in which they were published, as `current/longest`.
  private func published(_ activity: ActivityID, _ services: ServicesInProcess) async throws -> [StreakChanged] {
    try await services.streaks().filter { $0.activityID == activity }
  }

  /// Returns when the last that was published is this.
  private func until(_ current: Int, _ longest: Int, of activity: Activity, _ services: ServicesInProcess) async throws {
    try await services.store(of: .activity).until {
      let last = try await published(activity.id, services).last?.streak
      return last?.current == current && last?.longest == longest
    }
  }

  @Test("Streaks are published after each way in which they change: entries, pauses, skips, archive, schedule, a day's end")
  func ways() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2026-11-16")
      let id = walk.id
      try await until(0, 0, of: walk, services)
      for day in ["2026-11-16", "2026-11-17", "2026-11-20"] { _ = try await ana.record(walk, on: day) }
      try await until(1, 2, of: walk, services)
      let pause = try await ana.send(
        CreatePause.self,
        .init(activityID: id, firstDay: try LocalDay(text: "2026-11-18"), lastDay: try LocalDay(text: "2026-11-19")))
      try await until(3, 3, of: walk, services)
      _ = try await ana.send(
        UpdatePause.self,
        .init(activityID: id, pauseID: pause.id, firstDay: .keep, lastDay: .set(try LocalDay(text: "2026-11-18"))))
      try await until(1, 2, of: walk, services)
      let skipped = DayName.day(try LocalDay(text: "2026-11-19"))
      _ = try await ana.send(CreateSkip.self, .init(activityID: id, day: skipped))
      try await until(3, 3, of: walk, services)
      _ = try await ana.send(DeleteSkip.self, .init(activityID: id, day: skipped))
      try await until(1, 2, of: walk, services)
      _ = try await ana.send(DeletePause.self, .init(activityID: id, pauseID: pause.id))
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true))
      try await until(2, 2, of: walk, services)
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: false))
      try await until(1, 2, of: walk, services)
      // At the end of the day it is missed.
      services.clock.advance(days: 1)
      try await until(0, 2, of: walk, services)
      _ = try await ana.send(DeleteEntry.self, .init(activityID: id, day: .day(try LocalDay(text: "2026-11-16"))))
      try await until(0, 1, of: walk, services)
      let all = try await published(id, services)
      #expect(all.allSatisfy { $0.accountID == ana.id } && all.map(\.revision) == all.map(\.revision).sorted())
      #expect(Set(all.map(\.revision)).count == all.count && all.last?.day.description == "2026-11-22")
      _ = try await ana.send(DeleteActivity.self, .init(activityID: id, confirm: true))
      #expect(try await services.store(of: .activity).rows("streaks") == 0)
    }
  }

  @Test("Streaks are published in weeks, of limits that are kept without an entry, and where the schedule changes the unit")
  func units() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let limit = try await ana.makeActivity(goal: .duration(seconds: 60, .atMost), startDay: "2026-11-20")
      try await until(1, 1, of: limit, services)
      // Missed at the end of a week in which two days were to be kept.
      let weekly = try await ana.makeActivity(schedule: .timesAWeek(2), startDay: "2026-11-09")
      for day in ["2026-11-09", "2026-11-10", "2026-11-16"] { _ = try await ana.record(weekly, on: day) }
      try await until(1, 1, of: weekly, services)
      services.clock.advance(days: 1)
      try await until(2, 2, of: limit, services)
      services.clock.advance(days: 1)
      try await until(0, 1, of: weekly, services)
      #expect(try await published(weekly.id, services).allSatisfy { $0.streak.unit == .weeks })
      _ = try await ana.send(UpdateActivity.self, .init(activityID: weekly.id, schedule: .set(.daily)))
      try await services.store(of: .activity).until { try await published(weekly.id, services).last?.streak.unit == .days }
    }
  }

  @Test("Streaks are published as the account's days end where it is, and anew where it travels")
  func zones() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T10:00:00.000Z") { services in
      let ana = try await services.register(timeZone: "America/Los_Angeles")
      let walk = try await ana.makeActivity(startDay: "2026-11-19")
      _ = try await ana.record(walk, on: "2026-11-20")
      try await until(1, 1, of: walk, services)
      // 23:30 in Los Angeles, and the 23rd in Tokyo: the 21st is missed, and over there, though half of the day before was lost.
      try services.clock.set("2026-11-22T07:30:00.000Z")
      try await services.move(ana, to: "Asia/Tokyo", receivedBy: .activity)
      let expected = try await ana.streak(of: walk)
      try await until(expected.current, expected.longest, of: walk, services)
      try services.clock.set("2026-11-24T16:00:00.000Z")
      try await until(0, 1, of: walk, services)
      #expect(try await published(walk.id, services).last?.day.description == "2026-11-25")
    }
  }

  @Test("A streak is published once however much was written, and not at all if it stays the same")
  func unchanged() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let water = try await ana.makeActivity(goal: .quantity(100, unit: "ml"))
      try await until(0, 0, of: water, services)
      for amount in 1...20 {
        _ = try await ana.send(RecordEntry.self, .init(activityID: water.id, day: .today, amount: Double(amount)))
      }
      try await services.store(of: .activity).until {
        try await services.store(of: .activity).read { database in
          try Int.fetchOne(database, sql: "SELECT count(*) FROM streaks WHERE due_at = 0") == 0
        }
      }
      #expect(try await published(water.id, services).count == 1)
    }
  }

  @Test("Streaks are in the snapshot as they are, and never those of an account that is being erased (ID-12)")
  func snapshot() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let (walk, swim) = (try await ana.makeActivity(), try await ben.makeActivity())
      _ = try await ana.send(RecordEntry.self, .init(activityID: walk.id, day: .today, isDone: true))
      try await until(1, 1, of: walk, services)
      try await until(0, 0, of: swim, services)
      let kept = try await services.snapshot(of: .activity).filter { $0.name == StreakChanged.spec.name }
        .map { try StreakChanged.decode($0.body) }
      let last = [try await published(walk.id, services).last, try await published(swim.id, services).last]
      #expect(Set(kept) == Set(last.compactMap { $0 }) && kept.count == 2)
      let account = ana.id
      // As it is before the first step.
      try await services.store(of: .activity).write {
        try $0.noteErasure(of: account, by: ID<Never>(), counts: #"{"counts":[]}"#)
        try $0.database.execute(sql: "UPDATE streaks SET due_at = 0")
      }
      let due = try await services.store(of: .activity).read {
        try StreakStore.countDue(AccountCalendars(), at: services.clock.now, in: $0)
      }
      #expect(!due.contains { $0.activity == walk.id })
    }
  }

  @Test("Streaks of activities with many entries are counted a few at a time")
  func manyEntries() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let (walk, swim) = (try await ana.makeActivity(), try await ana.makeActivity(title: "Swim"))
      try await services.plant(
        (0..<StreakStore.batchEntries).map {
          PlantedEntry(owner: ana.id, activity: walk.id, day: walk.startDay.advanced(by: -$0))
        })
      let now = services.clock.now
      let due = try await services.store(of: .activity).write { transaction in
        let database = transaction.database
        func count() throws -> [ActivityID] {
          try StreakStore.countDue(AccountCalendars(), at: now, in: database).map(\.activity)
        }
        try database.execute(sql: "UPDATE streaks SET due_at = iif(activity_id = ?, 0, 1)", arguments: [walk.id])
        let first = try count()
        try database.execute(sql: "UPDATE streaks SET due_at = 2 WHERE activity_id = ?", arguments: [walk.id])
        return [first, try count()]
      }
      #expect(due == [[walk.id], [swim.id, walk.id]])
    }
  }

  @Test("A streak computed before the last write is not stored")
  func races() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity()
      try await until(0, 0, of: walk, services)
      let store = services.store(of: .activity)
      try await store.write { try $0.database.execute(sql: "UPDATE streaks SET due_at = 0") }
      let counted = [
        StreakStore.Counted(
          activity: walk.id, changes: -1, streak: Streak(current: 9, longest: 9), day: walk.startDay,
          nextAt: services.clock.now.adding(seconds: 86_400))
      ]
      try await store.write { try StreakStore.keep(counted, $0) }
      #expect(try await published(walk.id, services).allSatisfy { $0.streak.current == 0 })
    }
  }

  @Test("Streaks are published for activities that existed before streaks were kept")
  func upgrade() async throws {
    let (activity, account) = (ActivityID(), AccountID())
    try await UpgradedStore.upgrading(.activity, ActivityMigrations.all, before: 36) { transaction in
      try transaction.database.execute(
        sql: "INSERT INTO activities (activity_id, account_id, title, category, created_at) VALUES (?, ?, 'Walk', 'fitness', 0)",
        arguments: [activity, account])
    } check: { store in
      let isDue = try await store.read { database in
        try Bool.fetchOne(
          database, sql: "SELECT activity_id = ? AND account_id = ? AND due_at = 0 AND run IS NULL FROM streaks",
          arguments: [activity, account])
      }
      #expect(isDue == true)
    }
  }

  @Test("A streak cannot change before its next check is due, whatever was planned and done", arguments: 0..<40)
  func nextDay(seed: Int) throws {
    var random = SeededGenerator(UInt64(seed))
    let today = try LocalDay(text: "2026-11-21")
    for _ in 0..<50 {
      var versions: [ActivityVersion] = []
      let start = today.advanced(by: Int.random(in: -30...3, using: &random))
      for number in 0..<Int.random(in: 1...3, using: &random) {
        var terms = ActivityTerms.random(around: today, &random)
        if Bool.random(using: &random) { terms.goal = .quantity(2, unit: "km", .atMost) }
        (terms.startDay, terms.endDay) = (start, versions.first?.endDay ?? terms.endDay.flatMap { $0 < start ? nil : $0 })
        let from = number == 0 ? ActivityVersionStore.beginning : today.advanced(by: -20 + number * 10)
        versions.append(ActivityVersion(terms, from: from, anchor: start))
      }
      let pause = today.advanced(by: Int.random(in: -20...20, using: &random))
      let plan = Plan(
        versions, pauses: [pause...pause.advanced(by: Int.random(in: 0...9, using: &random))],
        skips: Set((0..<3).map { _ in today.advanced(by: Int.random(in: -9...9, using: &random)) }))
      let progress = (-30...1).filter { _ in Bool.random(using: &random) }
        .map { DayProgress(day: today.advanced(by: $0), progress: Int.random(in: 0...4000, using: &random)) }
      let streak = StreakRules.record(plan, progress, today: today).streak
      let next = StreakRules.nextDay(plan, progress, streak, today: today)
      #expect(next >= today && today.distance(to: next) <= StreakRules.lookAhead)
      var day = today
      while day <= next {
        #expect(StreakRules.record(plan, progress, today: day).streak == streak, "\(versions) \(day)")
        day = day.advanced(by: 1)
      }
    }
  }
}

extension ServicesInProcess {
  /// The streaks that activity has published, oldest first.
  func streaks() async throws -> [StreakChanged] {
    try await store(of: .activity).allEvents()
      .filter { $0.name == StreakChanged.spec.name }.map { try StreakChanged.decode($0.body) }
  }
}
