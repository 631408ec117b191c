import ActivityContract
import InProcess
import Operations
import RewardsContract
import RewardsService
import Storage
import Testing

@testable import ActivityService

@Suite("The dashboard (MOVE-4; E UC-02)")
struct DashboardTests {
  /// A Saturday.
  private let now = "2026-11-21T20:00:00.000Z"

  @Test("UC-02 4 to 6: recorded steps appear on the dashboard at once, by today, week, month and all time, with the trend")
  func periods() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      for (day, steps) in [
        ("2025-03-01", 1000), ("2026-10-02", 3000), ("2026-10-22", 9000), ("2026-11-02", 5000), ("2026-11-09", 2000),
        ("2026-11-15", 7000), ("2026-11-16", 4000), ("2026-11-20", 2000), ("2026-11-21", 3000), ("2026-11-22", 500),
      ] { try await ana.walk(day, steps, "\(day)T08:00:00Z") }
      let ride = MovementSample(
        id: "ride", kind: .cycling, start: services.clock.now.adding(seconds: -600), end: services.clock.now, amount: 3000.5)
      try await ana.record(ride)
      let board = try await ana.send(GetDashboard.self, .init())
      func line(_ summary: MovementSummary) -> String {
        let best = summary.bestDay.map { "\($0.day) \($0.steps)" } ?? "-"
        return
          "\(summary.from) \(summary.steps) avg \(summary.averageSteps) best \(best) before \(summary.stepsBefore ?? -1) \(summary.trendPercent ?? -1)%"
      }
      #expect(line(board.today) == "2026-11-21 3000 avg 3000 best 2026-11-21 3000 before 2000 50%")
      #expect(line(board.week) == "2026-11-16 9000 avg 1500 best 2026-11-16 4000 before 2000 350%")
      // October up to the 21st.
      #expect(line(board.month) == "2026-11-01 23000 avg 1095 best 2026-11-15 7000 before 3000 667%")
      #expect(line(board.allTime) == "2025-03-01 36000 avg 57 best 2026-10-22 9000 before -1 -1%")
      #expect(board.today.cyclingMeters == 3000.5 && board.allTime.cyclingMeters == 3000.5)
      #expect(board.history.map(\.day.description).prefix(3) == ["2026-11-21", "2026-11-20", "2026-11-16"])
      #expect(board.history.count == 6 && board.history.last?.day.description == "2026-11-02")
      // A correction of the best day.
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["2026-10-22"]))
      #expect(try await ana.send(GetDashboard.self, .init()).allTime.bestDay?.day.description == "2026-11-15")
    }
  }

  @Test("UC-02 6: the dashboard's history is of the last 30 days, today and the 29 before, newest first")
  func thirtyDays() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      let today = try LocalDay(text: "2026-11-21")
      for back in 0..<32 { try await ana.walk("\(back)", 100 + back, "\(today.advanced(by: -back))T08:00:00Z") }
      let history = try await ana.send(GetDashboard.self, .init()).history
      #expect(history.map(\.day) == (0..<30).map { today.advanced(by: -$0) })
      #expect(history.map(\.steps) == (0..<30).map { 100 + $0 })
      // On the last of a month of 31 days, too, and on 1 March, when the month before is short.
      for (now, days) in [("2026-12-31T20:00:00.000Z", 0), ("2027-03-01T20:00:00.000Z", 30)] {
        try services.clock.set(now)
        let today = try LocalDay(text: String(now.prefix(10)))
        for back in 0..<days { try await ana.walk("\(today) \(back)", 50, "\(today.advanced(by: -back))T08:00:00Z") }
        #expect(try await ana.send(GetDashboard.self, .init()).history.count == days)
      }
    }
  }

  @Test(
    "UC-02 AF-01, AF-02: without consent or a sensor the dashboard is empty, and it never shows another account's data")
  func empty() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let (ana, ben) = (try await services.register(consents: []), try await services.register())
      try await ben.walk("a", 1000, "2026-11-21T08:00:00Z")
      let sample = MovementSample(
        id: "a", start: services.clock.now.adding(seconds: -60), end: services.clock.now, steps: 10)
      #expect(try await ana.failure(RecordMovementSamples.self, .init(samples: [sample])) == "consent_required")
      let board = try await ana.send(GetDashboard.self, .init())
      #expect(board.allTime.steps == 0 && board.allTime.from == board.allTime.to && board.history.isEmpty)
      #expect(board.week.bestDay == nil && board.week.stepsBefore == 0 && board.week.trendPercent == nil)
    }
  }

  @Test("The dashboard counts each coin transfer of rewards once, and follows corrections")
  func coins() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, { try Rewards.service($0) }], at: now) { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      try await ana.walk("a", 1000, "2026-11-20T08:00:00Z")
      try await ana.walk("b", 2500, "2026-11-21T08:00:00Z")
      func coins() async throws -> [Int] {
        try await services.hasReceived(.rewards, of: .activity)
        try await services.hasReceived(.activity, of: .rewards)
        let board = try await ana.send(GetDashboard.self, .init())
        return [board.today.coins, board.month.coins, board.allTime.coins] + board.history.map(\.coins)
      }
      #expect(try await coins() == [35, 35, 35, 35, 0])
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["a"]))
      #expect(try await coins() == [25, 25, 25, 25, 0])
      // Past midnight in Madrid.
      try services.clock.set("2026-11-21T23:30:00.000Z")
      try await ana.walk("c", 1000, "2026-11-21T10:00:00Z")
      #expect(try await coins() == [10, 35, 35, 10, 25, 0])
      // Rewards publishes all of it again, as to a subscriber without history.
      let published = try await services.published(by: .rewards).filter { $0.name == CoinsEarned.spec.name }
      try await services.store(of: .activity).write { transaction in
        for event in published {
          let earned = try CoinsEarned.decode(event.body)
          try DashboardCoinStore.count(
            earned.coins, earned.transferID, on: LocalDay(daysSinceEpoch: 20_000), of: earned.accountID, transaction)
        }
      }
      #expect(try await coins() == [10, 35, 35, 10, 25, 0])
    }
  }

  @Test("The dashboard reads ten years of days as fast as a few days")
  func tenYears() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      for first in stride(from: 0, to: 3650, by: 365) {
        let samples = (first..<first + 365).map { back in
          let end = services.clock.now.adding(seconds: -back * 86_400)
          return MovementSample(id: "\(back)", start: end.adding(seconds: -3600), end: end, steps: 8000 + back % 100)
        }
        #expect(try await ana.send(RecordMovementSamples.self, .init(samples: samples)).accepted == 365)
      }
      let board = try await ana.send(GetDashboard.self, .init())
      #expect(board.allTime.steps == (0..<3650).reduce(0) { $0 + 8000 + $1 % 100 } && board.allTime.averageSteps == 8049)
      // As many rows as there are months and days of two months, and no more.
      let first = DashboardRules.firstDay(today: board.today.to)
      #expect(first.distance(to: board.today.to) < 62)
      let rows = try await services.store(of: .activity).rows("movement_months")
      #expect(rows == 121)
    }
  }
}
