import ActivityContract
import GRDB
import InProcess
import Operations
import Sampling
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Reading an account's whole week at once for a day's list (ACT-3)")
struct AccountWeekTests {
  /// Activities of so many times a week with entries, pauses, skipped days and changed schedules of any kind, one in a few of each.
  private func plant(_ activities: [ActivityID], of account: AccountID, _ days: ClosedRange<LocalDay>, in database: Database)
    throws
  {
    var generator = SeededGenerator(17)
    func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
    for activity in activities {
      let busy = Int.random(in: 10...90, using: &generator)
      for day in days {
        if happens(busy) {
          let progress = happens(70) ? 1 : 0
          try database.execute(
            sql: """
              INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, progress_at) VALUES (?, ?, ?, ?, ?, 0, 0)
              """, arguments: [activity, day, account, progress, progress])
        }
        if happens(8) { try database.execute(sql: "INSERT INTO activity_skips VALUES (?, ?)", arguments: [activity, day]) }
        if happens(6) {
          try database.execute(
            sql: """
              INSERT INTO activity_versions
              SELECT activity_id, ?2, account_id, goal_kind, goal_target, goal_unit, goal_direction, ?3, ?4, anchor_day, start_day, ?5
              FROM activity_versions WHERE activity_id = ?1 AND from_day < 0
              """,
            arguments: [
              activity, day, happens(80) ? Schedule.Kind.timesAWeek : .everyNDays, Int.random(in: 2...6, using: &generator),
              happens(20) ? day.advanced(by: 9) : nil,
            ])
        }
      }
      var day = days.lowerBound
      while happens(60), day < days.upperBound {
        let first = day.advanced(by: Int.random(in: 0...9, using: &generator))
        let last = first.advanced(by: Int.random(in: 0...9, using: &generator))
        try database.execute(
          sql: "INSERT INTO activity_pauses (pause_id, activity_id, first_day, last_day) VALUES (?, ?, ?, ?)",
          arguments: [ID<Never>(), activity, first, last])
        day = last.advanced(by: 1)
      }
    }
  }

  @Test("Reading an account's week at once gives the same as reading it for each activity, for 2,000 generated weeks")
  func sameAsEach() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var activities: [ActivityID] = []
      for number in 0..<50 {
        let schedule = Schedule.timesAWeek(number % 7 + 1)
        activities.append(try await ana.makeActivity(title: "\(number)", schedule: schedule, startDay: "2026-02-04").id)
      }
      let (account, ids, days) = (
        ana.id, activities, try LocalDay(text: "2026-02-01")...LocalDay(text: "2026-11-21")
      )
      let store = services.store(of: .activity)
      try await store.write { try plant(ids, of: account, days, in: $0.database) }
      let now = services.clock.now
      let (cases, missed) = try await store.read { database in
        let calendar = try AccountCalendars().calendar(of: account, in: database)
        let known = try AccountDays(of: account, calendar, now: now, in: database)
        var (cases, missed) = (0, 0)
        // On all days of the week.
        for day in stride(from: days.lowerBound, through: days.upperBound, by: 6) {
          var week = AccountWeek(of: known, around: day, in: database)
          for activity in ids {
            let expected = try DayStore.week(of: activity, around: day, known, in: database)
            let version = Plan(try ActivityVersionStore.list(of: activity, in: database)).version(on: day)
            #expect(try week.outcome(activity, version) == expected, "\(day) \(activity)")
            cases += 1
            missed += expected == .missed ? 1 : 0
          }
        }
        return (cases, missed)
      }
      #expect(cases > 2_000 && missed > 300 && missed < cases - 300, "\(cases) \(missed)")
    }
  }

  @Test("An account's week is read through indexes")
  func plans() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      for sql in [PlanStore.versionsOver, PlanStore.pausesOver, PlanStore.skipsOver, EntryStore.progressOver] {
        let steps = try await services.store(of: .activity).read { database in
          try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql.replacing(/\?[0-9]*/, with: "'a'"))").map {
            $0["detail"] as String
          }
        }
        #expect(!steps.contains { $0.hasPrefix("SCAN ") }, "\(sql)\n\(steps.joined(separator: "\n"))")
      }
    }
  }
}
