import ActivityContract
import ActivityService
import InProcess
import Operations
import Storage
import Synchronization
import Testing

@Suite("Timers on the server (ACT-7; H CU-29 5c)")
struct TimerTests {
  private func running(
    goal: Goal = .duration(seconds: 1800), at now: String = "2026-11-21T12:00:00.000Z", timeZone: String = "UTC",
    _ body: (ServicesInProcess, Person, ActivityID) async throws -> Void
  ) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register(timeZone: timeZone)
      try await body(services, ana, try await ana.makeActivity(goal: goal).id)
    }
  }

  @Test("H CU-29 5c: a timer counts down from the goal, can be stopped, and is saved as the day's progress")
  func saved() async throws {
    try await running { services, ana, id in
      var timer = try await ana.send(StartTimer.self, .init(activityID: id))
      #expect(timer.runningSince == services.clock.now && timer.remainingSeconds == 1800)
      try services.clock.set("2026-11-21T12:10:00.000Z")
      timer = try await ana.send(GetTimer.self, .init(activityID: id))
      #expect(timer.elapsedSeconds == 600 && timer.remainingSeconds == 1200 && timer.savedSeconds == 0)
      timer = try await ana.send(StopTimer.self, .init(activityID: id))
      try services.clock.set("2026-11-21T12:30:00.000Z")
      timer = try await ana.send(GetTimer.self, .init(activityID: id))
      #expect(timer.elapsedSeconds == 600 && timer.runningSince == nil)
      // Nothing is the day's before it is saved.
      #expect(try await ana.failure(GetEntry.self, .init(activityID: id, day: .today)) == "entry_not_found")
      let entry = try await ana.send(SaveTimer.self, .init(activityID: id))
      #expect(entry.durationSeconds == 600 && !entry.isDone)
      #expect(try await ana.failure(GetTimer.self, .init(activityID: id)) == "timer_not_found")
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.partly])
    }
  }

  @Test("A timer started again after a stop adds up until it is saved, on top of what was saved before")
  func addsUp() async throws {
    try await running { services, ana, id in
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, durationSeconds: 1000))
      for (start, stop) in [("12:00", "12:05"), ("13:00", "13:10")] {
        try services.clock.set("2026-11-21T\(start):00.000Z")
        _ = try await ana.send(StartTimer.self, .init(activityID: id))
        try services.clock.set("2026-11-21T\(stop):00.000Z")
        _ = try await ana.send(StopTimer.self, .init(activityID: id))
      }
      let timer = try await ana.send(GetTimer.self, .init(activityID: id))
      #expect(timer.elapsedSeconds == 900 && timer.savedSeconds == 1000 && timer.remainingSeconds == 0)
      let entry = try await ana.send(SaveTimer.self, .init(activityID: id))
      #expect(entry.durationSeconds == 1900 && entry.isDone)
    }
  }

  @Test("No edit of start or end day can leave out a timer's day, so it can still be saved")
  func bounds() async throws {
    try await running { services, ana, id in
      _ = try await ana.send(StartTimer.self, .init(activityID: id))
      let today = try await ana.send(GetTimer.self, .init(activityID: id)).day
      _ = try await ana.send(UpdateActivity.self, .init(activityID: id, startDay: .set(today.advanced(by: -9))))
      for edit in [
        UpdateActivity.Input(activityID: id, startDay: .set(today.advanced(by: 1))),
        .init(activityID: id, endDay: .set(today.advanced(by: -1))),
      ] {
        #expect(try await ana.failure(UpdateActivity.self, edit) == "invalid_fields")
      }
      try services.clock.set(services.clock.now.adding(seconds: 60).description)
      #expect(try await ana.send(SaveTimer.self, .init(activityID: id)).durationSeconds == 60)
    }
  }

  @Test("A timer that many devices start at once runs once, and any of them stops it")
  func devices() async throws {
    try await running { services, ana, id in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<100 { group.addTask { _ = try await ana.send(StartTimer.self, .init(activityID: id)) } }
        try await group.waitForAll()
      }
      #expect(try await services.store(of: .activity).rows("timers") == 1)
      let other = try await ana.makeActivity(title: "Other", goal: .duration(seconds: 60)).id
      _ = try await ana.send(StartTimer.self, .init(activityID: other))
      try services.clock.set("2026-11-21T12:01:00.000Z")
      let found = try await ana.send(ListTimers.self, .init()).items
      #expect(found.map(\.activityID) == [id, other] && found.map(\.elapsedSeconds) == [60, 60])
      #expect(try await ana.send(StopTimer.self, .init(activityID: id)).elapsedSeconds == 60)
      let page = try await ana.send(ListTimers.self, .init(limit: 1))
      let next = try await ana.send(ListTimers.self, .init(limit: 1, cursor: page.nextCursor))
      #expect((page.items + next.items).map(\.activityID) == [id, other])
    }
  }

  @Test("A timer is saved once by many at once, and a repetition with its key gets the same answer")
  func once() async throws {
    try await running { services, ana, id in
      _ = try await ana.send(StartTimer.self, .init(activityID: id))
      try services.clock.set("2026-11-21T12:01:00.000Z")
      let ends = Mutex<[String?: Int]>([:])
      try await services.together(50, writingTo: .activity) { _ in
        let end = try await ana.failure(SaveTimer.self, .init(activityID: id))
        ends.withLock { $0[end, default: 0] += 1 }
      }
      #expect(ends.withLock { $0 } == [nil: 1, "timer_not_found": 49])
      _ = try await ana.send(StartTimer.self, .init(activityID: id))
      try services.clock.set("2026-11-21T12:02:00.000Z")
      for _ in 0..<3 {
        let entry = try await ana.send(SaveTimer.self, .init(activityID: id), key: "save")
        #expect(entry.durationSeconds == 120)
      }
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).durationSeconds == 120)
    }
  }

  @Test("A timer that runs past the end of a day counts for the day on which it was started")
  func border() async throws {
    try await running(at: "2026-11-21T22:50:00.000Z", timeZone: "Europe/Madrid") { services, ana, id in
      _ = try await ana.send(StartTimer.self, .init(activityID: id))
      try services.clock.set("2026-11-21T23:20:00.000Z")
      let timer = try await ana.send(StopTimer.self, .init(activityID: id))
      #expect(timer.day.description == "2026-11-21" && timer.elapsedSeconds == 1800)
      let entry = try await ana.send(SaveTimer.self, .init(activityID: id))
      #expect(entry.day.description == "2026-11-21" && entry.isDone)
      #expect(try await ana.failure(GetEntry.self, .init(activityID: id, day: .today)) == "entry_not_found")
    }
  }

  @Test("A timer that was forgotten fills its day and no more")
  func forgotten() async throws {
    try await running { services, ana, id in
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, durationSeconds: 100))
      _ = try await ana.send(StartTimer.self, .init(activityID: id))
      try services.clock.set("2026-12-24T12:00:00.000Z")
      let entry = try await ana.send(SaveTimer.self, .init(activityID: id))
      #expect(entry.durationSeconds == Amounts.maxSeconds && entry.day.description == "2026-11-21")
    }
  }

  @Test("A timer counts against a limit, too: beyond it the day is not kept")
  func limit() async throws {
    try await running(goal: .duration(seconds: 60, .atMost)) { services, ana, id in
      for (minutes, state) in [(1, DayState.pending), (2, .failed)] {
        _ = try await ana.send(StartTimer.self, .init(activityID: id))
        try services.clock.set("2026-11-21T12:0\(minutes):00.000Z")
        #expect(try await !ana.send(SaveTimer.self, .init(activityID: id)).isDone)
        #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [state])
      }
    }
  }

  @Test("A timer can be saved whatever the activity asks for since: it ends under the terms it began under")
  func changedGoal() async throws {
    try await running { services, ana, id in
      _ = try await ana.send(StartTimer.self, .init(activityID: id))
      try services.clock.set("2026-11-21T12:10:00.000Z")
      let changed = try await ana.send(
        UpdateActivity.self, .init(activityID: id, goal: .set(.check), schedule: .set(.weekdays([1]))))
      #expect(changed.goal == .check)
      // Today is a day of the former goal still, and the change holds from tomorrow on.
      #expect(try await ana.send(GetTimer.self, .init(activityID: id)).remainingSeconds == 1200)
      let entry = try await ana.send(SaveTimer.self, .init(activityID: id))
      #expect(entry.durationSeconds == 600 && entry.day.description == "2026-11-21")
      let monday = try await ana.send(GetDay.self, .init(day: .init(text: "2026-11-23"))).activities
      #expect(monday.map(\.goal) == [.check])
      #expect(try await ana.send(GetDay.self, .init(day: .init(text: "2026-11-22"))).activities.isEmpty)
      try services.clock.set("2026-11-23T12:00:00.000Z")
      #expect(try await ana.failure(StartTimer.self, .init(activityID: id)) == "timer_not_for_goal")
    }
  }

  @Test("A timer stopped yesterday is saved for yesterday, and does not delay a goal changed today")
  func changedSince() async throws {
    try await running { services, ana, id in
      _ = try await ana.send(StartTimer.self, .init(activityID: id))
      try services.clock.set("2026-11-22T12:00:00.000Z")
      _ = try await ana.send(UpdateActivity.self, .init(activityID: id, goal: .set(.check)))
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.goal) == [.check])
      let entry = try await ana.send(SaveTimer.self, .init(activityID: id))
      #expect(entry.day.description == "2026-11-21" && entry.durationSeconds == 86_400)
    }
  }

  @Test("A timer needs a duration goal and a planned day, and must be started before it is stopped or saved")
  func refused() async throws {
    try await running(goal: .quantity(1, unit: "km")) { services, ana, id in
      #expect(try await ana.failure(StartTimer.self, .init(activityID: id)) == "timer_not_for_goal")
      #expect(try await ana.failure(StopTimer.self, .init(activityID: id)) == "timer_not_found")
      #expect(try await ana.failure(SaveTimer.self, .init(activityID: id)) == "timer_not_found")
      let sundays = try await ana.makeActivity(goal: .duration(seconds: 9), schedule: .weekdays([7])).id
      #expect(try await ana.failure(StartTimer.self, .init(activityID: sundays)) == "not_planned")
    }
  }

  @Test("A discarded timer leaves no trace, and discarding it again is harmless")
  func discarded() async throws {
    try await running { services, ana, id in
      _ = try await ana.send(StartTimer.self, .init(activityID: id))
      for _ in 0..<2 { _ = try await ana.send(DiscardTimer.self, .init(activityID: id)) }
      #expect(try await ana.failure(StopTimer.self, .init(activityID: id)) == "timer_not_found")
      #expect(try await services.published(by: .activity).map(\.name) == ["activities.changed"])
    }
  }
}
