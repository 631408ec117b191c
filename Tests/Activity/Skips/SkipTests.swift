import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Skipped days (ACT-14)")
struct SkipTests {
  @Test("Skipped days neither break a streak nor add to it, and can be taken back")
  func skip() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2026-11-18")
      for day in ["2026-11-18", "2026-11-20"] { _ = try await ana.record(walk, on: day) }
      #expect(try await ana.streak(of: walk) == Streak(current: 1, longest: 1))
      let input = SkipInput(activityID: walk.id, day: try DayName(text: "2026-11-19"))
      let skip = try await ana.send(CreateSkip.self, input)
      #expect(try await ana.send(CreateSkip.self, input) == skip)
      #expect(try await ana.streak(of: walk) == Streak(current: 2, longest: 2))
      let day = try await ana.send(GetDay.self, .init(day: .init(text: "2026-11-19")))
      #expect(day.activities.map(\.state) == [.skipped])
      #expect(
        try await ana.failure(RecordEntry.self, .init(activityID: walk.id, day: input.day, isDone: true)) == "day_skipped")
      for _ in 1...2 { _ = try await ana.send(DeleteSkip.self, input) }
      #expect(try await ana.streak(of: walk) == Streak(current: 1, longest: 1))
      _ = try await ana.record(walk, on: "2026-11-19")
      #expect(try await ana.streak(of: walk) == Streak(current: 3, longest: 3))
    }
  }

  @Test("Only planned days of one's own that are not paused can be skipped, at most a year ahead")
  func refused() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ana.makeActivity(schedule: .weekdays([6]))
      func skip(_ day: String) throws -> SkipInput { .init(activityID: walk.id, day: try DayName(text: day)) }
      #expect(try await ana.failure(CreateSkip.self, skip("2026-11-22")) == "not_planned")
      #expect(try await ana.refusedFields(CreateSkip.self, skip("2027-11-27")) == ["day out_of_range"])
      #expect(try await ana.send(CreateSkip.self, skip("2027-11-20")).day.description == "2027-11-20")
      _ = try await ana.send(
        CreatePause.self,
        .init(activityID: walk.id, firstDay: LocalDay(text: "2026-11-28"), lastDay: LocalDay(text: "2026-11-28")))
      #expect(try await ana.failure(CreateSkip.self, skip("2026-11-28")) == "day_paused")
      #expect(try await ben.failure(CreateSkip.self, skip("2026-11-21")) == "activity_not_found")
      #expect(try await ben.failure(DeleteSkip.self, skip("2026-11-21")) == "activity_not_found")
    }
  }
}
