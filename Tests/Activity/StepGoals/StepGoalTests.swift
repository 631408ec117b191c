import ActivityContract
import InProcess
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("The progress of a step goal (MOVE-5)")
struct GoalStageTests {
  @Test(
    "A step goal is near from exactly nine tenths on, and reached from all of it on",
    arguments: [
      (10_000, 8999, 9000), (5000, 4499, 4500), (1_000_000, 899_999, 900_000), (10, 8, 9),
      // Nine tenths that are no whole number are reached with the next one.
      (5001, 4500, 4501), (9999, 8999, 9000), (11, 9, 10), (19, 17, 18),
      // Of small goals they are the goal itself.
      (9, 8, 9), (1, 0, 1),
    ])
  func near(goal: Int, below: Int, from: Int) {
    #expect(StepGoalRules().stage(steps: below, goal: goal) == .begun)
    #expect(StepGoalRules().stage(steps: from, goal: goal) == (from == goal ? .reached : .near))
    #expect(StepGoalRules().stage(steps: goal - 1, goal: goal) == (goal - 1 >= from ? .near : .begun))
    #expect(StepGoalRules().stage(steps: goal, goal: goal) == .reached)
    #expect(StepGoalRules().stage(steps: goal + 1, goal: goal) == .reached)
  }

  @Test("The share from which a goal is near can be set", arguments: [(50, 4999, 5000), (75, 7499, 7500), (99, 9899, 9900)])
  func setting(percent: Int, below: Int, from: Int) {
    let rules = StepGoalRules(nearPercent: percent)
    #expect(rules.stage(steps: below, goal: 10_000) == .begun && rules.stage(steps: from, goal: 10_000) == .near)
  }
}

@Suite("Daily and weekly step goals (MOVE-5; E UC-07)")
struct StepGoalTests {
  /// A Saturday.
  private let now = "2026-11-21T20:00:00.000Z"

  private func progressed(_ services: ServicesInProcess) async throws -> [String] {
    try await services.published(by: .activity).filter { $0.name == StepGoalProgressed.spec.name }.map { event in
      let published = try StepGoalProgressed.decode(event.body)
      return
        "\(published.period) \(published.firstDay) \(published.steps)/\(published.goal) \(published.isReached ? "reached" : "near")"
    }
  }

  @Test("UC-07 1 to 3 and 5: nearing and reaching a goal are each published once a day, whatever corrections come")
  func daily() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      #expect(try await ana.send(ListStepGoals.self, .init()).goals.isEmpty)
      let set = try await ana.send(SetStepGoal.self, .init(period: .day, goal: 5000))
      #expect(set == StepGoal(period: .day, goal: 5000, steps: 0) && set.remaining == 5000)
      try await ana.walk("a", 4499, "2026-11-21T08:00:00Z")
      #expect(try await progressed(services).isEmpty)
      try await ana.walk("b", 1, "2026-11-21T10:00:00Z")
      try await ana.walk("c", 100, "2026-11-21T11:00:00Z")
      #expect(try await progressed(services) == ["day 2026-11-21 4500/5000 near"])
      try await ana.walk("d", 1000, "2026-11-21T12:00:00Z")
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["d"]))
      try await ana.walk("e", 2000, "2026-11-21T13:00:00Z")
      let expected = ["day 2026-11-21 4500/5000 near", "day 2026-11-21 5600/5000 reached"]
      #expect(try await progressed(services) == expected)
      #expect(try await ana.send(ListStepGoals.self, .init()).goals.map(\.remaining) == [0])
      let states = try await services.published(by: .activity).compactMap { try? StepGoalProgressed.decode($0.body).isOver }
      #expect(states == [false, false])
      // The next day counts anew; what comes late for the day before is published too.
      try services.clock.set("2026-11-22T20:00:00.000Z")
      try await ana.walk("f", 5000, "2026-11-22T08:00:00Z")
      #expect(try await progressed(services) == expected + ["day 2026-11-22 5000/5000 reached"])
    }
  }

  @Test("UC-07 5: a weekly goal counts from Monday on, steps that come after the week included, and no weeks before it was set")
  func weekly() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      _ = try await ana.send(SetStepGoal.self, .init(period: .week, goal: 10_000))
      try await ana.walk("old", 10_000, "2026-11-15T08:00:00Z")
      try await ana.walk("mon", 6000, "2026-11-16T08:00:00Z")
      #expect(try await progressed(services).isEmpty)
      try services.clock.set("2026-11-23T08:00:00.000Z")
      try await ana.walk("sun", 4000, "2026-11-22T08:00:00Z")
      #expect(try await progressed(services) == ["week 2026-11-16 10000/10000 reached"])
      let last = try #require(try await services.published(by: .activity).last { $0.name == StepGoalProgressed.spec.name })
      #expect(try StepGoalProgressed.decode(last.body).isOver == true)
      let goal = try #require(try await ana.send(ListStepGoals.self, .init()).goals.first)
      #expect(goal.period == .week && goal.steps == 0)
    }
  }

  @Test("UC-07 3: a week that is near its goal is published as such at nine tenths, and not before")
  func nearlyAWeek() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      _ = try await ana.send(SetStepGoal.self, .init(period: .week, goal: 20_001))
      try await ana.walk("mon", 9000, "2026-11-16T08:00:00Z")
      try await ana.walk("tue", 9000, "2026-11-17T08:00:00Z")
      #expect(try await progressed(services).isEmpty)
      try await ana.walk("wed", 1, "2026-11-18T08:00:00Z")
      #expect(try await progressed(services) == ["week 2026-11-16 18001/20001 near"])
    }
  }

  @Test("A step goal that the day has reached is published when it is set; a changed one is not published twice that day")
  func setLate() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      try await ana.walk("a", 6000, "2026-11-21T08:00:00Z")
      _ = try await ana.send(SetStepGoal.self, .init(period: .day, goal: 5000))
      _ = try await ana.send(SetStepGoal.self, .init(period: .day, goal: 5000))
      _ = try await ana.send(SetStepGoal.self, .init(period: .day, goal: 5500))
      #expect(try await progressed(services) == ["day 2026-11-21 6000/5000 reached"])
      let changes = try await services.published(by: .activity).filter { $0.name == StepGoalChanged.spec.name }
      let published = try changes.map { try StepGoalChanged.decode($0.body) }
      #expect(published.map(\.goal) == [5000, 5500] && published[0].revision < published[1].revision)
    }
  }

  @Test("UC-07 AF-03: nothing more is published about a goal once it is cleared")
  func cleared() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for person in [ana, ben] { _ = try await person.send(SetStepGoal.self, .init(period: .day, goal: 5000)) }
      _ = try await ana.send(ClearStepGoal.self, .init(period: .day))
      _ = try await ana.send(ClearStepGoal.self, .init(period: .day))
      _ = try await ana.send(ClearStepGoal.self, .init(period: .week))
      try await ana.walk("a", 6000, "2026-11-21T08:00:00Z")
      #expect(try await progressed(services).isEmpty)
      #expect(try await ana.send(ListStepGoals.self, .init()).goals.isEmpty)
      let changes = try await services.published(by: .activity).filter { $0.name == StepGoalChanged.spec.name }
      #expect(try changes.map { try StepGoalChanged.decode($0.body).goal } == [5000, 5000, nil])
      // Another's goal is another's.
      #expect(try await ben.send(ListStepGoals.self, .init()).goals.count == 1)
      let snapshot = try await services.snapshot(of: .activity).filter { $0.name == StepGoalChanged.spec.name }
      #expect(Set(try snapshot.map { try StepGoalChanged.decode($0.body).goal }) == [nil, 5000])
    }
  }

  @Test("Ten years of history sent at once publish only step goals of the current and the last day and week")
  func history() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      for period in GoalPeriod.allCases { _ = try await ana.send(SetStepGoal.self, .init(period: period, goal: 100)) }
      try services.clock.set("2026-12-21T20:00:00.000Z")
      let end = services.clock.now
      let samples = (0..<1000).map { back in
        MovementSample(
          id: "\(back)", start: end.adding(seconds: -back * 43_200 - 3600), end: end.adding(seconds: -back * 43_200), steps: 200)
      }
      _ = try await ana.send(RecordMovementSamples.self, .init(samples: samples))
      let published = try await progressed(services)
      // The days are written in several transactions, which may divide that week: then its steps are those of its first days.
      let ofLastWeek = (1...7).map { "week 2026-12-14 \(400 * $0)/100 reached" }
      #expect(published.count { ofLastWeek.contains($0) } == 1)
      #expect(
        published.filter { !ofLastWeek.contains($0) }.sorted() == [
          "day 2026-12-20 400/100 reached", "day 2026-12-21 400/100 reached", "week 2026-12-21 400/100 reached",
        ])
    }
  }

  @Test("A step goal below 1 or beyond what anybody can walk is refused", arguments: [0, -1, 1_000_001])
  func bad(goal: Int) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      #expect(try await ana.refusedFields(SetStepGoal.self, .init(period: .day, goal: goal)) == ["goal out_of_range"])
    }
  }
}

extension Person {
  /// An hour's steps from then on.
  func walk(_ id: String, _ steps: Int, _ start: String) async throws {
    let start = try Instant(text: start)
    try await record(MovementSample(id: id, start: start, end: start.adding(seconds: 3600), steps: steps))
  }
}
