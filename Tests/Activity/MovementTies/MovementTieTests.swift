import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Activities that complete themselves from movement (MOVE-7)")
struct MovementTieTests {
  private let now = "2026-11-21T20:00:00.000Z"

  private func make(
    _ person: Person, _ goal: Goal, _ kind: MovementKind, schedule: Schedule = .daily, startDay: String? = nil
  ) async throws -> ActivityID {
    let input = CreateActivity.Input(
      title: "Move", category: .fitness, goal: goal, schedule: schedule, startDay: try startDay.map { try LocalDay(text: $0) },
      tie: kind)
    let activity = try await person.send(CreateActivity.self, input)
    #expect(activity.tie == kind)
    #expect(try await person.send(GetActivity.self, .init(activityID: activity.id)).activity.tie == activity.tie)
    return activity.id
  }

  private func states(_ person: Person, _ day: String = "today") async throws -> [String] {
    try await person.send(GetDay.self, .init(day: try ListedDay(text: day))).activities.map {
      "\($0.state) \($0.amount ?? -1)"
    }
  }

  @Test("The goal 'walk 8,000 steps' is partly done, done, and opens again when a correction takes the steps away")
  func steps() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      _ = try await make(ana, .quantity(8000, unit: "pasos"), .steps)
      #expect(try await states(ana) == ["pending -1.0"])
      try await ana.walk("a", 5000, "2026-11-21T08:00:00Z")
      #expect(try await states(ana) == ["partly 5000.0"])
      try await ana.walk("b", 3000, "2026-11-21T10:00:00Z")
      #expect(try await states(ana) == ["done 8000.0"])
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["b"]))
      #expect(try await states(ana) == ["partly 5000.0"])
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["a"]))
      #expect(try await states(ana) == ["pending 0.0"])
      let published = try await services.published(by: .activity).filter { $0.name == EntryRecorded.spec.name }
      #expect(try published.map { try EntryRecorded.decode($0.body).isDone } == [false, true, false, false])
    }
  }

  @Test("The goals 'cycle 10 km' and 'run 5,000 m' count whole metres and millimetres")
  func distances() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      _ = try await make(ana, .quantity(10, unit: "km"), .cycling)
      _ = try await make(ana, .quantity(5000, unit: "m"), .running)
      let start = try Instant(text: "2026-11-21T08:00:00Z")
      for (id, kind, amount) in [("a", MovementKind.cycling, 9999.999), ("b", .running, 4999.999)] {
        try await ana.record(
          MovementSample(id: id, kind: kind, start: start, end: start.adding(seconds: 3600), amount: amount))
      }
      #expect(try await states(ana) == ["partly 9.999", "partly 4999.999"])
      for (id, kind) in [("c", MovementKind.cycling), ("d", .running)] {
        try await ana.record(
          MovementSample(
            id: id, kind: kind, start: start.adding(seconds: 7200), end: start.adding(seconds: 7300), amount: 0.001))
      }
      #expect(try await states(ana) == ["done 10.0", "done 5000.0"])
    }
  }

  @Test("Activities complete themselves only on planned days that have begun, by the account's own steps of that day")
  func plannedDays() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      // Fridays; it is Saturday.
      _ = try await make(ana, .quantity(1000, unit: "steps"), .steps, schedule: .weekdays([5]), startDay: "2026-11-01")
      for (id, day) in [("fri", "2026-11-20"), ("sat", "2026-11-21"), ("next", "2026-11-27")] {
        try await ana.walk(id, 2000, "\(day)T08:00:00Z")
        try await ben.walk(id, 2000, "2026-11-13T08:00:00Z")
      }
      #expect(try await states(ana, "2026-11-20") == ["done 2000.0"])
      #expect(try await states(ana, "2026-11-13") == ["failed -1.0"])
      #expect(try await states(ana, "2026-11-27") == ["pending -1.0"])
    }
  }

  @Test("A new tied activity takes up the movement that its days already have")
  func existing() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      for day in ["2026-11-18", "2026-11-19", "2026-11-21"] { try await ana.walk(day, 2000, "\(day)T08:00:00Z") }
      let id = try await make(ana, .quantity(1000, unit: "steps"), .steps, startDay: "2026-11-19")
      #expect(try await states(ana) == ["done 2000.0"])
      #expect(try await ana.send(GetActivity.self, .init(activityID: id)).streak.longest == 1)
    }
  }

  @Test("A manual entry of a tied activity stands until the day's movement changes")
  func byHand() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      let id = try await make(ana, .quantity(8000, unit: "steps"), .steps)
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true))
      #expect(try await states(ana) == ["done 8000.0"])
      try await ana.walk("other day", 5000, "2026-11-20T08:00:00Z")
      #expect(try await states(ana) == ["done 8000.0"])
      try await ana.walk("a", 5000, "2026-11-21T08:00:00Z")
      #expect(try await states(ana) == ["partly 5000.0"])
    }
  }

  @Test("An activity tied to other movement keeps the days of its former goal: no steps as kilometres, nor the reverse")
  func otherMovement() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      let walk = try await make(ana, .quantity(3, unit: "km"), .walking, startDay: "2026-11-01")
      for (id, day) in [("a", "2026-11-20"), ("b", "2026-11-21")] {
        try await ana.walk("steps \(id)", 3000, "\(day)T08:00:00Z")
        let start = try Instant(text: "\(day)T10:00:00Z")
        try await ana.record(MovementSample(id: id, kind: .walking, start: start, end: start.adding(seconds: 600), amount: 2000))
      }
      for steps in [5000.0, 4000] {
        _ = try await ana.send(
          UpdateActivity.self, .init(activityID: walk, goal: .set(.quantity(steps, unit: "steps")), tie: .set(.steps)))
        #expect(try await states(ana, "2026-11-20") == ["partly 2.0"])
        #expect(try await states(ana) == ["partly 2.0"])
      }
      _ = try await ana.send(DeleteActivity.self, .init(activityID: walk, confirm: true))
      let steps = try await make(ana, .quantity(5000, unit: "steps"), .steps, startDay: "2026-11-01")
      for kilometres in [3.0, 2] {
        _ = try await ana.send(
          UpdateActivity.self, .init(activityID: steps, goal: .set(.quantity(kilometres, unit: "km")), tie: .set(.walking))
        )
        #expect(try await states(ana, "2026-11-20") == ["partly 3000.0"])
        #expect(try await states(ana) == ["partly 3000.0"])
      }
    }
  }

  @Test("A changed goal of a tied activity holds from today on; manual entries of earlier days stand")
  func byHandBeforeGoal() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      let id = try await make(ana, .quantity(5000, unit: "steps"), .steps, startDay: "2026-11-01")
      try await ana.walk("a", 17, "2026-11-18T08:00:00Z")
      try await ana.walk("b", 5500, "2026-11-21T08:00:00Z")
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: DayName(text: "2026-11-18"), isDone: true))
      _ = try await ana.send(UpdateActivity.self, .init(activityID: id, goal: .set(.quantity(6000, unit: "steps"))))
      #expect(try await states(ana, "2026-11-18") == ["done 5000.0"])
      #expect(try await states(ana) == ["partly 5500.0"])
    }
  }

  @Test("An existing activity can be tied, given another goal, and untied; a stranger's cannot")
  func edit() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let id = try await ana.makeActivity(goal: .quantity(5, unit: "km")).id
      try await ana.walk("a", 4000, "2026-11-21T08:00:00Z")
      let start = try Instant(text: "2026-11-21T08:00:00Z")
      try await ana.record(
        MovementSample(id: "b", kind: .walking, start: start, end: start.adding(seconds: 3600), amount: 3000))
      let tie = UpdateActivity.Input(activityID: id, tie: .set(.walking))
      #expect(try await ben.failure(UpdateActivity.self, tie) == "activity_not_found")
      #expect(try await ana.send(UpdateActivity.self, tie).tie == .walking)
      #expect(try await states(ana) == ["partly 3.0"])
      _ = try await ana.send(UpdateActivity.self, .init(activityID: id, goal: .set(.quantity(3, unit: "km"))))
      #expect(try await states(ana) == ["done 3.0"])
      #expect(
        try await ana.refusedFields(UpdateActivity.self, .init(activityID: id, goal: .set(.check))) == ["tie not_for_tie"])
      let renamed = try await ana.send(UpdateActivity.self, .init(activityID: id, title: .set("Walk on")))
      #expect(renamed.tie == .walking)
      #expect(try await ana.send(UpdateActivity.self, .init(activityID: id, tie: .set(nil))).tie == nil)
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["b"]))
      #expect(try await states(ana) == ["done 3.0"])
    }
  }

  @Test("A tie that counts steps in a unit of distance, or distances in another, is refused when it is made and edited")
  func units() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      for (unit, kind, isRefused) in [
        ("km", MovementKind.steps, true), ("m", .steps, true), ("pasos", .steps, false), ("steps", .walking, true),
        ("km", .walking, false), ("m", .cycling, false),
      ] {
        let refusal = isRefused ? ["tie not_for_tie"] : []
        let input = CreateActivity.Input(
          title: "Move", category: .fitness, goal: .quantity(8, unit: unit), schedule: .daily, tie: kind)
        #expect(try await ana.refusedFields(CreateActivity.self, input) == refusal, "\(unit) \(kind)")
        let id = try await ana.makeActivity(goal: .quantity(8, unit: unit)).id
        #expect(
          try await ana.refusedFields(UpdateActivity.self, .init(activityID: id, tie: .set(kind))) == refusal,
          "\(unit) \(kind)")
      }
    }
  }

  @Test("A tie is refused if the goal is not measured that way")
  func bad() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      for (goal, kind) in [
        (Goal.check, MovementKind.steps), (.duration(seconds: 60), .running), (.quantity(5, unit: "miles"), .running),
      ] {
        let input = CreateActivity.Input(
          title: "Move", category: .fitness, goal: goal, schedule: .daily, tie: kind)
        #expect(try await ana.refusedFields(CreateActivity.self, input) == ["tie not_for_tie"])
      }
    }
  }
}
