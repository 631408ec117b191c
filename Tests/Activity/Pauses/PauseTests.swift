import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Pauses (ACT-14)")
struct PauseTests {
  private func input(_ activity: Activity, _ first: String?, _ last: String) throws -> CreatePause.Input {
    .init(activityID: activity.id, firstDay: try first.map { try LocalDay(text: $0) }, lastDay: try LocalDay(text: last))
  }

  @Test("A pause rests an activity for a range of days: nothing is due or recorded, and the streak continues afterwards")
  func pause() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity(startDay: "2026-11-16")
      for day in ["2026-11-16", "2026-11-17", "2026-11-20"] { _ = try await ana.record(walk, on: day) }
      #expect(try await ana.streak(of: walk) == Streak(current: 1, longest: 2))
      let pause = try await ana.send(CreatePause.self, input(walk, "2026-11-18", "2026-11-19"))
      #expect(try await ana.streak(of: walk) == Streak(current: 3, longest: 3))
      #expect(try await ana.send(GetActivity.self, .init(activityID: walk.id)).pauses == [pause])
      let record = RecordEntry.Input(activityID: walk.id, day: try DayName(text: "2026-11-18"), isDone: true)
      #expect(try await ana.failure(RecordEntry.self, record) == "day_paused")
      let day = try await ana.send(GetDay.self, .init(day: .init(text: "2026-11-19")))
      #expect(day.activities.map(\.state) == [.paused])
      _ = try await ana.send(DeletePause.self, .init(activityID: walk.id, pauseID: pause.id))
      #expect(try await ana.streak(of: walk) == Streak(current: 1, longest: 2))
      #expect(try await ana.send(GetActivity.self, .init(activityID: walk.id)).pauses == [])
    }
  }

  @Test("Pauses begin today by default; entries on their days stay, and count again once the pause is deleted")
  func today() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity()
      _ = try await ana.record(walk, on: "today")
      let pause = try await ana.send(CreatePause.self, input(walk, nil, "2026-11-30"))
      #expect(pause.firstDay.description == "2026-11-21")
      #expect(try await ana.streak(of: walk) == Streak(current: 0, longest: 0))
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: walk.id, format: .week))
      #expect(calendar.days.map(\.state) == [nil, nil, nil, nil, nil, .paused, .paused])
      _ = try await ana.send(DeletePause.self, .init(activityID: walk.id, pauseID: pause.id))
      #expect(try await ana.streak(of: walk) == Streak(current: 1, longest: 1))
    }
  }

  @Test("Pauses can be shortened and lengthened, and may not overlap")
  func update() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity()
      let first = try await ana.send(CreatePause.self, input(walk, "2026-11-22", "2026-11-30"))
      #expect(try await ana.failure(CreatePause.self, input(walk, "2026-11-30", "2026-12-05")) == "pause_overlaps")
      func update(_ first: String?, _ last: String?, _ pause: Pause) throws -> UpdatePause.Input {
        .init(
          activityID: walk.id, pauseID: pause.id, firstDay: try first.map { .set(try LocalDay(text: $0)) } ?? .keep,
          lastDay: try last.map { .set(try LocalDay(text: $0)) } ?? .keep)
      }
      let shorter = try await ana.send(UpdatePause.self, update(nil, "2026-11-25", first))
      #expect(shorter.firstDay == first.firstDay && shorter.lastDay.description == "2026-11-25" && shorter.id == first.id)
      let second = try await ana.send(CreatePause.self, input(walk, "2026-11-26", "2026-12-05"))
      #expect(try await ana.failure(UpdatePause.self, update("2026-11-25", nil, second)) == "pause_overlaps")
      #expect(try await ana.refusedFields(UpdatePause.self, update(nil, "2026-11-20", second)) == ["lastDay ends_before"])
      #expect(try await ana.send(GetActivity.self, .init(activityID: walk.id)).pauses == [shorter, second])
    }
  }

  @Test("Pauses are refused with every fault named")
  func refused() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let walk = try await ana.makeActivity()
      #expect(try await ana.refusedFields(CreatePause.self, input(walk, "2026-11-22", "2026-11-21")) == ["lastDay ends_before"])
      #expect(try await ana.refusedFields(CreatePause.self, input(walk, nil, "2026-11-20")) == ["lastDay ends_before"])
      #expect(
        try await ana.refusedFields(CreatePause.self, input(walk, "1969-12-31", "2200-01-01"))
          == ["firstDay out_of_range", "lastDay out_of_range"])
    }
  }

  @Test("Pauses of other accounts or activities are not found, and an activity has at most 200")
  func strangers() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let (walk, other) = (try await ana.makeActivity(), try await ana.makeActivity())
      let pause = try await ana.send(CreatePause.self, input(walk, nil, "2026-11-22"))
      #expect(try await ben.failure(CreatePause.self, input(walk, nil, "2026-12-22")) == "activity_not_found")
      #expect(try await ben.failure(UpdatePause.self, .init(activityID: walk.id, pauseID: pause.id)) == "activity_not_found")
      #expect(try await ben.failure(DeletePause.self, .init(activityID: walk.id, pauseID: pause.id)) == "activity_not_found")
      #expect(try await ana.failure(DeletePause.self, .init(activityID: other.id, pauseID: pause.id)) == "pause_not_found")
      #expect(try await ana.failure(UpdatePause.self, .init(activityID: walk.id, pauseID: PauseID())) == "pause_not_found")
      for number in 0..<199 {
        let day = LocalDay(daysSinceEpoch: Int32(10_000 + number))
        _ = try await ana.send(CreatePause.self, .init(activityID: walk.id, firstDay: day, lastDay: day))
      }
      #expect(try await ana.failure(CreatePause.self, input(walk, "2000-01-01", "2000-01-01")) == "too_many_pauses")
    }
  }
}
