import ActivityContract
import GRDB
import InProcess
import Operations
import Sampling
import Storage
import Testing

@testable import ActivityService

@Suite("The ceiling of a minute over all samples together (MOVE-6)")
struct MinuteCeilingTests {
  private func sample(
    _ id: String, _ kind: MovementKind = .steps, from: String, to: String, _ amount: Double, device: String? = nil
  ) throws -> MovementSample {
    MovementSample(
      id: id, kind: kind, start: try Instant(text: "2026-11-21T\(from)Z"), end: try Instant(text: "2026-11-21T\(to)Z"),
      amount: amount, device: device)
  }

  private func send(_ person: Person, _ samples: [MovementSample], batch: Int = 1000) async throws {
    for start in stride(from: 0, to: samples.count, by: batch) {
      let part = Array(samples[start..<min(start + batch, samples.count)])
      #expect(try await person.send(RecordMovementSamples.self, .init(samples: part)).rejected.isEmpty)
    }
  }

  @Test("200 samples of 300 steps in one minute are shown and earn nothing, in one batch or in 200", arguments: [200, 30, 1])
  func burst(batch: Int) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let samples = try (0..<200).map { try sample("\($0)", from: "08:00:00", to: "08:01:00", 300) }
      try await send(ana, samples, batch: batch)
      let day = try #require(try await ana.days().first)
      #expect(day.steps == 60_000 && day.earningSteps == 0)
      #expect(
        day.reasons == [
          FlagReason(
            kind: .steps, code: .tooFast,
            text: "More than 300 steps in a minute, more than anyone can move: it is shown, but earns no coins.")
        ])
      // What was moved before and after earns, and rewards receives nothing of the rest.
      try await send(
        ana,
        [try sample("before", from: "07:59:00", to: "08:00:00", 300), try sample("after", from: "08:01:00", to: "08:02:00", 50)])
      #expect(try await ana.days().map(\.earningSteps) == [350])
      let published = try await services.published(by: .activity).compactMap { try MovementDaysChanged.decode($0.body).days.last }
      #expect(published.last?.steps == 60_350 && published.last?.earningSteps == 350)
    }
  }

  @Test("Many samples without duration at the same time count together in their minute")
  func zeroLengthSamples() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      try await send(ana, try (0..<300).map { try sample("\($0)", from: "08:00:30", to: "08:00:30", 1) })
      #expect(try await ana.days().map(\.earningSteps) == [300])
      try await send(ana, [try sample("one more", from: "08:00:59.999", to: "08:00:59.999", 1)])
      let days = try await ana.days()
      #expect(days.map(\.earningSteps) == [0] && days.map(\.steps) == [301])
    }
  }

  @Test("A longer sample is divided among its minutes, of which only those beyond the ceiling earn nothing")
  func shares() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      // 200 a minute from 08:00 to 08:30, and as much again from 08:10:30 to 08:20.
      try await send(
        ana, [try sample("a", from: "08:00:00", to: "08:30:00", 6000), try sample("b", from: "08:10:30", to: "08:20:00", 1900)])
      let day = try #require(try await ana.days().first)
      // The first half minute has 300 together.
      #expect(day.steps == 7900 && day.earningSteps == 20 * 200 + 300)
    }
  }

  @Test("A minute earns again once a correction or a deletion brings it below the ceiling")
  func mended() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var second = try sample("b", from: "08:00:20", to: "08:00:40", 150)
      try await send(ana, [try sample("a", from: "08:00:00", to: "08:01:00", 200), second])
      #expect(try await ana.days().map(\.earningSteps) == [0])
      second.version = 1
      second.amount = 100
      try await send(ana, [second])
      let mended = try await ana.days()
      #expect(mended.map(\.earningSteps) == [300] && mended[0].reasons.isEmpty)
      second.version = 2
      second.amount = 101
      try await send(ana, [second])
      #expect(try await ana.days().map(\.earningSteps) == [0])
      let day = try await ana.send(DeleteMovementSamples.self, .init(ids: ["b"])).days
      #expect(day.map(\.earningSteps) == [200] && day[0].reasons.isEmpty)
    }
  }

  @Test("Samples flagged by themselves do not count in a minute's sum, and distances have ceilings of their own")
  func others() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      var typed = try sample("typed", from: "08:00:30", to: "08:01:00", 250)
      typed.isHandTyped = true
      try await send(ana, [try sample("walk", from: "08:00:00", to: "08:00:30", 200, device: "Phone"), typed])
      let day = try #require(try await ana.days().first)
      #expect(day.steps == 450 && day.earningSteps == 200 && day.reasons.map(\.code) == [.handTyped])
      for (kind, maximum) in [(MovementKind.walking, 250.0), (.running, 750), (.cycling, 2000)] {
        let ben = try await services.register()
        try await send(
          ben,
          [
            try sample("a", kind, from: "08:00:00", to: "08:00:30", maximum - 1),
            try sample("b", kind, from: "08:00:30", to: "08:01:00", 1),
          ])
        #expect(try await ben.days().first?.reasons.isEmpty == true)
        try await send(ben, [try sample("c", kind, from: "08:00:59", to: "08:01:00", 0.001)])
        #expect(try await ben.days().first?.reasons.map(\.code) == [.tooFast])
        #expect(try await ben.days().first?.reasons.map(\.kind) == [kind])
      }
    }
  }

  @Test(
    "An honest hour of 200 steps a minute is not flagged, whatever the samples' lengths, and with watch and phone"
  )
  func runner() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      var random = SeededGenerator(7)
      for round in 0..<6 {
        let ana = try await services.register()
        var samples: [MovementSample] = []
        for device in round % 2 == 0 ? ["Watch"] : ["Watch", "Phone"] {
          let start = try Instant(text: "2026-11-21T08:00:00Z").milliseconds + Int64.random(in: 0..<60_000, using: &random)
          let longest: Int64 = [20_000, 90_000, 600_000][round / 2]
          var (from, published) = (Int64(0), 0)
          while from < 3_600_000 {
            let until = min(3_600_000, from + Int64.random(in: 1000...longest, using: &random))
            let steps = Int(until * 200 / 60_000)
            samples.append(
              MovementSample(
                id: "\(device) \(from)", kind: .steps, start: Instant(milliseconds: start + from),
                end: Instant(milliseconds: start + until), amount: Double(steps - published), device: device))
            (from, published) = (until, steps)
          }
        }
        try await send(ana, samples.shuffled(using: &random), batch: 50)
        let day = try #require(try await ana.days().first)
        #expect(day.earningSteps == day.steps && day.steps >= 12_000 && day.steps < 12_300 && day.reasons.isEmpty)
      }
    }
  }

  @Test("The same movement is flagged and earns whatever the order and batches of samples, corrections and deletions")
  func anyOrder() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      var random = SeededGenerator(11)
      var flagged = 0
      for _ in 0..<20 {
        let (versions, deleted) = try Self.history(using: &random)
        var expected: [MovementDay]?
        for _ in 0..<4 {
          let person = try await services.register(timeZone: "Europe/Madrid")
          var left = versions.shuffled(using: &random)
          while !left.isEmpty {
            let batch = Array(left.prefix(Int.random(in: 1...20, using: &random)))
            left.removeFirst(batch.count)
            _ = try await person.send(RecordMovementSamples.self, .init(samples: batch))
          }
          for id in deleted.shuffled(using: &random) { _ = try await person.send(DeleteMovementSamples.self, .init(ids: [id])) }
          let days = try await person.days().filter { $0.steps > 0 }
          // Else all but the first would have reported the same series.
          try await services.store(of: .activity).write { transaction in
            for table in ["movement_series", "movement_sketches"] {
              try transaction.database.execute(sql: "DELETE FROM \(table)")
            }
          }
          if let expected { try #require(days == expected) } else { expected = days }
        }
        flagged += expected?.filter { day in day.reasons.contains { $0.code == .tooFast } && day.earningSteps > 0 }.count ?? 0
      }
      #expect(flagged > 0)
    }
  }

  /// Samples of three sources around midnight in Madrid, none of them too fast by itself, some in several versions, some deleted in the end.
  private static func history(using random: inout SeededGenerator) throws -> (versions: [MovementSample], deleted: [String]) {
    let begin = try Instant(text: "2026-11-20T22:30:00Z").milliseconds
    var versions: [MovementSample] = []
    var deleted: [String] = []
    for number in 0..<Int.random(in: 10...40, using: &random) {
      for version in 0..<Int.random(in: 1...2, using: &random) {
        let from = begin + Int64.random(in: 0..<3_600_000, using: &random)
        let length = [0, 1000, 30_000, 400_000, 2_000_000].randomElement(using: &random) ?? 0
        let maximum = 300 * max(60_000, length) / 60_000
        versions.append(
          MovementSample(
            id: "\(number)", kind: .steps, start: Instant(milliseconds: from), end: Instant(milliseconds: from + Int64(length)),
            amount: Double(Int.random(in: maximum / 3...maximum, using: &random)),
            device: ["Watch", "Phone", nil].randomElement(using: &random) ?? nil, version: version))
      }
      if Int.random(in: 0..<6, using: &random) == 0 { deleted.append("\(number)") }
    }
    return (versions, deleted)
  }

  @Test("Days from before minutes were kept are recounted when more samples arrive")
  func before() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      try await send(ana, [try sample("a", from: "08:00:00", to: "08:01:00", 200)])
      try await services.store(of: .activity).write { try $0.database.execute(sql: "DELETE FROM movement_minutes") }
      try await send(ana, [try sample("b", from: "09:00:00", to: "09:01:00", 300)])
      #expect(try await ana.days().map(\.earningSteps) == [500])
      try await send(ana, [try sample("c", from: "08:00:00", to: "08:01:00", 101)])
      #expect(try await ana.days().map(\.earningSteps) == [300])
    }
  }

  @Test("Minutes are kept only for days that can still earn")
  func kept() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let store = services.store(of: .activity)
      func walk(_ id: String, daysAgo: Int) throws -> MovementSample {
        let end = services.clock.now.adding(seconds: -daysAgo * 86_400 - 3600)
        return MovementSample(id: id, start: end.adding(seconds: -600), end: end, steps: 100)
      }
      try await send(ana, try (0..<20).map { try walk("\($0)", daysAgo: $0) })
      #expect(try await store.rows("movement_minutes") == 7)
      // A month later all of these are past.
      try services.clock.set("2026-12-21T12:00:00.000Z")
      try await send(ana, [try walk("later", daysAgo: 0)])
      #expect(try await store.rows("movement_minutes") == 1)
      // Counted anew for a deletion, an old day keeps none.
      let days = try await ana.send(DeleteMovementSamples.self, .init(ids: ["3"])).days
      #expect(days.map(\.steps) == [0] && days.map(\.earningSteps) == [0])
      #expect(try await store.rows("movement_minutes") == 1)
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["later"]))
      #expect(try await store.rows("movement_minutes") == 0)
    }
  }
}
