import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("A day's list")
struct DayTests {
  @Test("A day's list shows what is planned with title, reason, icon and state (CU-24)")
  func today() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      _ = try await ana.makeActivity(title: "Never today", schedule: .weekdays([1]))
      _ = try await ana.makeActivity(title: "Not yet", startDay: "2026-11-22")
      let run = try await ana.send(
        CreateActivity.self,
        .init(title: "Run", reason: "Marathon", category: .fitness, goal: .duration(seconds: 1800), schedule: .monthDays([21])))
      _ = try await ana.send(RecordEntry.self, .init(activityID: run.id, day: .today, durationSeconds: 600))
      let day = try await ana.send(GetDay.self, .init(day: .today))
      #expect(day.day.description == "2026-11-21" && day.activities.count == 1)
      let expected = PlannedActivity(
        id: run.id, title: run.title, reason: run.reason, category: run.category, goal: run.goal, state: .partly, amount: nil,
        durationSeconds: 600)
      #expect(day.activities[0] == expected)
      #expect(day.activities[0].icon == "dumbbell" && day.activities[0].reason == "Marathon")
    }
  }

  @Test("A day's list can be read for any day (CU-25): activities are failed on past days and pending on future ones")
  func otherDays() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      _ = try await ana.makeActivity(startDay: "2026-11-01")
      func states(_ day: String) async throws -> [DayState] {
        try await ana.send(GetDay.self, .init(day: .init(text: day))).activities.map(\.state)
      }
      #expect(try await states("2026-11-20") == [.failed])
      #expect(try await states("2026-11-21") == [.pending])
      #expect(try await states("2026-12-01") == [.pending])
      #expect(try await states("2026-10-31") == [])
    }
  }

  @Test("A day's list is that of the account's own day, which may begin after midnight")
  func dayStart() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T02:30:00.000Z") { services in
      let owl = try await services.register(timeZone: "Europe/Madrid", dayStartHour: 4)
      #expect(try await owl.send(GetDay.self, .init(day: .today)).day.description == "2026-11-20")
    }
  }
}
