import ActivityContract
import InProcess
import Operations
import Testing

@testable import ActivityService

@Suite("Fairness (MOVE-6): unfair movement is kept, shown and flagged with the reason, and not passed on to rewards")
struct FairnessTests {
  private let now = "2026-11-21T12:00:00.000Z"

  private func record(
    _ person: Person, _ id: String, _ kind: MovementKind = .steps, from: String, to: String, _ amount: Double,
    isHandTyped: Bool? = nil
  ) async throws -> RecordMovementSamples.Output {
    let sample = MovementSample(
      id: id, kind: kind, start: try Instant(text: from), end: try Instant(text: to), amount: amount, isHandTyped: isHandTyped)
    return try await person.send(RecordMovementSamples.self, .init(samples: [sample]))
  }

  @Test("Movement that is typed by hand, ends in the future, comes late or is impossibly fast earns nothing")
  func samples() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      func flags(_ output: RecordMovementSamples.Output) -> [[MovementFlag]] { output.flagged.map(\.codes) }
      var output = try await record(ana, "fair", from: "2026-11-21T08:00:00Z", to: "2026-11-21T08:10:00Z", 3000)
      #expect(output.flagged.isEmpty && output.reasons.isEmpty && output.days.map(\.earningSteps) == [3000])
      output = try await record(ana, "fast", from: "2026-11-21T09:00:00Z", to: "2026-11-21T09:10:00Z", 3001)
      #expect(flags(output) == [[.tooFast]] && output.days.map(\.steps) == [6001] && output.days.map(\.earningSteps) == [3000])
      #expect(
        output.reasons.map(\.text) == [
          "More than 300 steps in a minute, more than anyone can move: it is shown, but earns no coins."
        ])
      output = try await record(ana, "burst", from: "2026-11-21T09:20:00Z", to: "2026-11-21T09:20:10Z", 300)
      #expect(output.flagged.isEmpty && output.days.map(\.earningSteps) == [3300])
      output = try await record(ana, "moment", from: "2026-11-21T09:30:00Z", to: "2026-11-21T09:30:00Z", 301)
      #expect(flags(output) == [[.tooFast]])
      output = try await record(
        ana, "typed", from: "2026-11-21T10:00:00Z", to: "2026-11-21T10:30:00Z", 500, isHandTyped: true)
      #expect(flags(output) == [[.handTyped]] && output.days.map(\.earningSteps) == [3300])
      output = try await record(ana, "soon", from: "2026-11-21T12:00:00Z", to: "2026-11-21T12:05:00Z", 10)
      #expect(output.flagged.isEmpty)
      output = try await record(ana, "future", from: "2026-11-21T12:05:00Z", to: "2026-11-21T12:05:00.001Z", 10)
      #expect(flags(output) == [[.inFuture]])
      #expect(
        output.reasons.map(\.text).contains(
          "It ended more than 5 minutes after it was reported: it is shown, but earns no coins."))
      output = try await record(ana, "in time", from: "2026-11-15T08:00:00Z", to: "2026-11-15T09:00:00Z", 10)
      #expect(output.flagged.isEmpty && output.days.map(\.earningSteps) == [10])
      output = try await record(ana, "late", from: "2026-11-14T08:00:00Z", to: "2026-11-14T09:00:00Z", 10)
      #expect(flags(output) == [[.late]] && output.days.map(\.earningSteps) == [0] && output.days.map(\.steps) == [10])
      output = try await record(
        ana, "both", from: "2026-11-14T10:00:00Z", to: "2026-11-14T10:01:00Z", 1000, isHandTyped: true)
      #expect(flags(output) == [[.handTyped, .late, .tooFast]])
      let days = try await ana.days()
      #expect(days.map { $0.reasons.map(\.code) } == [[.handTyped, .late, .tooFast], [], [.handTyped, .inFuture, .tooFast]])
      let published = try await services.published(by: .activity).compactMap { try MovementDaysChanged.decode($0.body).days.last }
      #expect(published.last { $0.day == days[2].day }?.earningSteps == 3310)
    }
  }

  @Test("Distances have ceilings of their own, and the reason is given in the reader's language")
  func distances() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register(language: .spanish)
      for (kind, maximum) in [(MovementKind.walking, 250.0), (.running, 750), (.cycling, 2000)] {
        let fair = try await record(ana, "\(kind)", kind, from: "2026-11-21T08:00:00Z", to: "2026-11-21T08:01:00Z", maximum)
        #expect(fair.flagged.isEmpty)
        let fast = try await record(
          ana, "fast \(kind)", kind, from: "2026-11-21T09:00:00Z", to: "2026-11-21T09:01:00Z", maximum + 0.001)
        #expect(fast.reasons.first?.kind == kind)
        #expect(fast.reasons.first?.text.hasPrefix("Más de \(Int(maximum)) metros en un minuto") == true)
      }
    }
  }

  @Test("Distances that may earn are published apart from others, with what is flagged, also in the snapshot")
  func earningDistances() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      for (kind, maximum) in [(MovementKind.walking, 250.0), (.running, 750), (.cycling, 2000)] {
        _ = try await record(ana, "\(kind)", kind, from: "2026-11-21T08:00:00Z", to: "2026-11-21T08:01:00Z", maximum)
        guard kind != .running else { continue }
        _ = try await record(
          ana, "fast \(kind)", kind, from: "2026-11-21T09:00:00Z", to: "2026-11-21T09:01:00Z", maximum + 0.5)
      }
      let published = try await services.published(by: .activity).filter { $0.name == MovementDaysChanged.spec.name }
      let day = try #require(try published.last.map { try MovementDaysChanged.decode($0.body) }?.days.first)
      #expect(day.walkingMeters == 500.5 && day.runningMeters == 750 && day.cyclingMeters == 4000.5)
      #expect(day.earningWalkingMeters == 250 && day.earningRunningMeters == 750 && day.earningCyclingMeters == 2000)
      #expect(
        day.flagged == [.init(kind: .walking, codes: [.tooFast]), .init(kind: .cycling, codes: [.tooFast])])
      let snapshot = try await services.snapshot(of: .activity).filter { $0.name == MovementDaysChanged.spec.name }
      #expect(try snapshot.map { try MovementDaysChanged.decode($0.body) }.last?.days == [day])
    }
  }

  @Test("A day's event of an earlier version, without separate earning distances, is understood")
  func earlierEvent() throws {
    let body = """
      {"accountID":"019aa5a0-0000-7000-8000-000000000001","recordedDay":"2026-11-21","days":[{"day":"2026-11-21","steps":9,\
      "earningSteps":9,"walkingMeters":5,"runningMeters":0,"cyclingMeters":0,"revision":1}]}
      """
    let day = try #require(try MovementDaysChanged.decode(Array(body.utf8)).days.first)
    #expect(day.walkingMeters == 5 && day.earningWalkingMeters == nil && day.flagged == nil)
  }

  @Test("A day beyond the plausible maximum earns nothing until a correction brings it below again")
  func tooMuch() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      for hour in 1...10 {
        let output = try await record(
          ana, "\(hour)", from: "2026-11-20T\(hour + 9):00:00Z", to: "2026-11-20T\(hour + 9):59:59Z", 10_000)
        #expect(output.flagged.isEmpty)
      }
      #expect(try await ana.days().map(\.earningSteps) == [100_000])
      let over = try await record(ana, "one more", from: "2026-11-20T22:00:00Z", to: "2026-11-20T22:01:00Z", 1)
      #expect(over.days.map(\.earningSteps) == [0] && over.days.map(\.steps) == [100_001])
      #expect(over.days[0].reasons.map(\.code) == [.tooMuch])
      let output = try await ana.send(DeleteMovementSamples.self, .init(ids: ["3"]))
      #expect(output.days.map(\.earningSteps) == [90_001] && output.days[0].reasons.isEmpty)
    }
  }

  @Test("The second of two accounts with the same series earns nothing that day, whatever ids and sources it gives")
  func sameSeries() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let (ana, ben, cleo) = (
        try await services.register(), try await services.register(), try await services.register()
      )
      func walk(_ prefix: String, _ count: Int, device: String) throws -> [MovementSample] {
        let start = try Instant(text: "2026-11-21T06:00:00Z")
        return (0..<count).map { number in
          MovementSample(
            id: "\(prefix)\(number)", start: start.adding(seconds: number * 600), end: start.adding(seconds: number * 600 + 300),
            steps: 100 + number * 7 % 31, device: device)
        }
      }
      func send(_ person: Person, _ samples: [MovementSample]) async throws -> MovementDay {
        try #require(try await person.send(RecordMovementSamples.self, .init(samples: samples)).days.first)
      }
      #expect(try await send(ana, walk("a", 12, device: "Watch")).reasons.isEmpty)
      // In two parts and backwards.
      let copy = try walk("b", 12, device: "Band")
      #expect(try await send(ben, Array(copy[6...].reversed())).reasons.isEmpty)
      let day = try await send(ben, Array(copy[..<6]))
      #expect(day.reasons.map(\.code) == [.sameSeries] && day.earningSteps == 0 && day.steps > 1000)
      // The first one's goes on earning, also when it is reported anew.
      #expect(try await ana.send(DeleteMovementSamples.self, .init(ids: ["a3"])).days[0].reasons.isEmpty)
      var again = try walk("a", 12, device: "Watch")[3]
      again.version = 1
      #expect(try await send(ana, [again]).reasons.isEmpty)
      // Few samples are the same by chance.
      #expect(try await send(cleo, walk("c", 9, device: "Watch")).reasons.isEmpty)
    }
  }

  @Test("The ceilings and the earning window can be configured")
  func settings() async throws {
    let settings = [
      "racha.fairness.stepsPerMinute": "100", "racha.fairness.stepsPerDay": "1000", "racha.coins.earningDays": "2",
    ]
    try await ServicesInProcess.running([{ Activities.service($0) }], settings: settings, at: now) { services in
      let ana = try await services.register()
      var output = try await record(ana, "fast", from: "2026-11-21T08:00:00Z", to: "2026-11-21T08:01:00Z", 101)
      #expect(output.flagged.map(\.codes) == [[.tooFast]])
      output = try await record(ana, "much", from: "2026-11-20T08:00:00Z", to: "2026-11-20T09:00:00Z", 1001)
      #expect(output.flagged.isEmpty && output.days[0].reasons.map(\.code) == [.tooMuch])
      output = try await record(ana, "late", from: "2026-11-19T08:00:00Z", to: "2026-11-19T09:00:00Z", 1)
      #expect(output.flagged.map(\.codes) == [[.late]])
    }
  }
}
