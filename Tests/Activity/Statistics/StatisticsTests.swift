import ActivityContract
import GRDB
import InProcess
import Operations
import Sampling
import ServiceKit
import SocialContract
import SocialService
import Storage
import Testing

@testable import ActivityService

@Suite("Statistics for the profile")
struct StatisticsTests {
  @Test("H CU-5: the profile shows how much was done, on how many days, and how many in a row")
  func own() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let ana = try await services.register()
      let empty = try await ana.send(GetStatistics.self, .init())
      #expect(
        empty
          == Statistics(
            activityCount: 0, doneCount: 0, activeDayCount: 0, streak: Streak(current: 0, longest: 0), firstActiveDay: nil))
      let walk = try await ana.makeActivity(startDay: "2026-11-01")
      let water = try await ana.makeActivity(goal: .quantity(2, unit: "litres"), startDay: "2026-11-01")
      func record(_ day: String, _ amount: Double? = nil) async throws {
        let day = DayName.day(try LocalDay(text: day))
        _ =
          if let amount {
            try await ana.send(RecordEntry.self, .init(activityID: water.id, day: day, amount: amount))
          } else {
            try await ana.send(RecordEntry.self, .init(activityID: walk.id, day: day, isDone: true))
          }
      }
      for day in ["2026-11-03", "2026-11-04", "2026-11-05", "2026-11-19", "2026-11-20"] { try await record(day) }
      try await record("2026-11-20", 2)
      // Short of the goal: no day on which something was done.
      try await record("2026-11-10", 1)
      let statistics = try await ana.send(GetStatistics.self, .init())
      #expect(statistics.activityCount == 2 && statistics.doneCount == 6 && statistics.activeDayCount == 5)
      #expect(statistics.streak == Streak(current: 2, longest: 3))
      #expect(statistics.firstActiveDay?.description == "2026-11-03")
      // What is taken back, or undone, counts no more.
      _ = try await ana.send(DeleteEntry.self, .init(activityID: walk.id, day: .day(try LocalDay(text: "2026-11-04"))))
      try await record("2026-11-20", 1)
      let after = try await ana.send(GetStatistics.self, .init())
      #expect(after.doneCount == 4 && after.activeDayCount == 4 && after.streak == Streak(current: 2, longest: 2))
    }
  }

  @Test("A day lost by travelling breaks neither the run of active days nor the activity's streak")
  func travelled() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2028-05-19T20:00:00.000Z") { services in
      let ana = try await services.register(timeZone: "Pacific/Honolulu")
      let walk = try await ana.makeActivity(startDay: "2028-05-18")
      for day in ["2028-05-18", "2028-05-19"] { _ = try await ana.record(walk, on: day) }
      // 23:00 of the 19th in Honolulu is 23:00 of the 20th in Kiritimati.
      try services.clock.set("2028-05-20T09:00:00.000Z")
      try await services.move(ana, to: "Pacific/Kiritimati", receivedBy: .activity)
      try services.clock.set("2028-05-21T09:00:00.000Z")
      #expect(try await ana.send(GetStatistics.self, .init()).streak == Streak(current: 2, longest: 2))
      _ = try await ana.record(walk, on: "2028-05-21")
      let statistics = try await ana.send(GetStatistics.self, .init())
      #expect(statistics.streak == Streak(current: 3, longest: 3) && statistics.activeDayCount == 3)
      #expect(try await ana.streak(of: walk) == statistics.streak)
    }
  }

  @Test("Statistics leave out entries of paused and skipped days until the pause or skip is taken back")
  func uncounted() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let (walk, read) = (try await ana.makeActivity(startDay: "2026-11-01"), try await ana.makeActivity(startDay: "2026-11-01"))
      for day in ["2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21"] { _ = try await ana.record(walk, on: day) }
      _ = try await ana.record(read, on: "2026-11-18")
      func counts() async throws -> [Int] {
        let found = try await ana.send(GetStatistics.self, .init())
        return [found.doneCount, found.activeDayCount, found.streak.current, found.streak.longest]
      }
      #expect(try await counts() == [5, 4, 4, 4])
      let skip = SkipInput(activityID: walk.id, day: try DayName(text: "2026-11-21"))
      _ = try await ana.send(CreateSkip.self, skip)
      #expect(try await counts() == [4, 3, 3, 3])
      let pause = try await ana.send(
        CreatePause.self,
        .init(activityID: walk.id, firstDay: LocalDay(text: "2026-11-18"), lastDay: LocalDay(text: "2026-11-19")))
      // Of the 18th there is what was read.
      #expect(try await counts() == [2, 2, 1, 1])
      _ = try await ana.record(read, on: "2026-11-21")
      #expect(try await counts() == [3, 3, 2, 2])
      // The archive's pause lies over the skipped day: what was skipped is left out once.
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: walk.id))
      #expect(try await counts() == [3, 3, 2, 2])
      _ = try await ana.send(UnarchiveActivity.self, .init(activityID: walk.id))
      _ = try await ana.send(DeleteSkip.self, skip)
      _ = try await ana.send(DeletePause.self, .init(activityID: walk.id, pauseID: pause.id))
      #expect(try await counts() == [6, 4, 4, 4])
    }
  }

  @Test("A limit whose day reopened after a flight does not count as done in statistics")
  func openAgain() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register()
      let goal = Goal.quantity(2, unit: "cups", .atMost)
      let coffee = try await ana.makeActivity(goal: goal, startDay: "2026-11-20")
      _ = try await ana.send(RecordEntry.self, .init(activityID: coffee.id, day: .today, amount: 1))
      #expect(try await ana.send(GetStatistics.self, .init()).doneCount == 0)
      try services.clock.set("2026-11-22T00:00:03.000Z")
      try await services.store(of: .activity).write { try OpenLimitStore.close(AccountCalendars(), $0) }
      #expect(try await ana.send(GetStatistics.self, .init()).doneCount == 1)
      try await services.move(ana, to: "Pacific/Honolulu", receivedBy: .activity)
      #expect(try await ana.send(GetStatistics.self, .init()).doneCount == 0)
      try services.clock.set("2026-11-22T12:00:00.000Z")
      #expect(try await ana.send(GetStatistics.self, .init()).doneCount == 1)
    }
  }

  @Test("Statistics are visible to followers, and not to strangers or former followers")
  func followers() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (ana, ben, eve) = (try await services.register(), try await services.register(), try await services.register())
      _ = try await ben.makeActivity()
      try await services.follow(ana, ben)
      #expect(try await ana.send(GetStatistics.self, .init(accountID: ben.id)).activityCount == 1)
      #expect(try await ben.send(GetStatistics.self, .init(accountID: ben.id)).activityCount == 1)
      #expect(try await ben.failure(GetStatistics.self, .init(accountID: ana.id)) == "not_found")
      #expect(try await eve.failure(GetStatistics.self, .init(accountID: ben.id)) == "not_found")
      #expect(try await eve.failure(GetStatistics.self, .init(accountID: AccountID())) == "not_found")
      try await services.follow(ana, ben, .ended, revision: 2)
      #expect(try await ana.failure(GetStatistics.self, .init(accountID: ben.id)) == "not_found")
    }
  }

  @Test("Statistics equal a recount of all entries after 2,000 random changes, whatever wrote them")
  func kept() async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let ana = try await services.register()
      var activities: [ActivityID] = []
      for _ in 0..<4 { activities.append(try await ana.makeActivity(startDay: "2026-01-01").id) }
      let ids = activities
      let store = services.store(of: .activity)
      try await store.write { transaction in
        var generator = SeededGenerator(3)
        for _ in 0..<2000 {
          let activity = ids[Int.random(in: 0..<4, using: &generator)]
          let day = LocalDay(daysSinceEpoch: 20_600).advanced(by: Int.random(in: 0..<40, using: &generator))
          let isDone = Bool.random(using: &generator)
          if Int.random(in: 0..<4, using: &generator) == 0 {
            try transaction.database.execute(
              sql: "DELETE FROM entries WHERE activity_id = ? AND day = ?", arguments: [activity, day])
          } else {
            try transaction.database.execute(
              sql: """
                INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, progress_at)
                VALUES (?, ?, ?, 1, ?, 0, 0) ON CONFLICT (activity_id, day) DO UPDATE SET is_done = excluded.is_done
                """, arguments: [activity, day, ana.id, isDone])
          }
        }
        try transaction.database.execute(sql: "DELETE FROM activities WHERE activity_id = ?", arguments: [ids[0]])
      }
      let counted = try await store.read { database in
        try Row.fetchAll(
          database, sql: "SELECT day, count(*) AS done FROM entries WHERE is_done = 1 GROUP BY day ORDER BY day"
        ).map { "\($0[0] as Int) \($0[1] as Int)" }
      }
      let kept = try await store.read { database in
        try Row.fetchAll(database, sql: "SELECT day, done FROM active_days WHERE done > 0 ORDER BY day").map {
          "\($0[0] as Int) \($0[1] as Int)"
        }
      }
      #expect(kept == counted && kept.count > 20)
    }
  }
}
