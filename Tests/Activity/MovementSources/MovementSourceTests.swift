import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("An account's sources of movement (MOVE-1)")
struct MovementSourceTests {
  @Test("Choosing an order of sources recounts the days, and the choice can be reset")
  func order() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      #expect(try await ana.send(ListMovementSources.self, .init()) == .init(sources: [], isChosen: false))
      for back in 0..<120 {
        for (device, steps) in [("Phone", 1000), ("Watch", 1200)] {
          let start = try Instant(text: "2026-11-21T08:00:00Z").adding(seconds: -back * 86_400)
          try await ana.record(
            MovementSample(
              id: "\(device) \(back)", start: start, end: start.adding(seconds: 3600), steps: steps, device: device))
        }
      }
      let (watch, phone) = (MovementSource(device: "Watch"), MovementSource(device: "Phone"))
      #expect(try await ana.send(ListMovementSources.self, .init()).sources == [watch, phone])
      #expect(try await ana.days("2026-07-01", "2026-11-30").allSatisfy { $0.steps == 1200 })
      let order = try await ana.send(ReorderMovementSources.self, .init(sources: [phone]))
      #expect(order.sources == [phone, watch] && order.isChosen)
      try await services.areCountedAnew()
      #expect(try await ana.days("2026-07-01", "2026-11-30").map(\.steps) == Array(repeating: 1000, count: 120))
      #expect(try await !ana.send(ReorderMovementSources.self, .init(sources: [])).isChosen)
      try await services.areCountedAnew()
      #expect(try await ana.days("2026-07-01", "2026-11-30").map(\.steps) == Array(repeating: 1200, count: 120))
      // Nobody else's sources, and none twice.
      #expect(try await ben.refusedFields(ReorderMovementSources.self, .init(sources: [watch])) == ["sources[0] unknown_source"])
      #expect(
        try await ana.refusedFields(ReorderMovementSources.self, .init(sources: [watch, watch])) == [
          "sources[1] repeated_source"
        ])
      #expect(try await ana.send(ListMovementSources.self, .init()).sources == [watch, phone])
    }
  }

  @Test("An account has at most 100 sources; samples of more are set aside")
  func maxSources() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let start = try Instant(text: "2026-11-21T08:00:00Z")
      let samples = (0..<102).map {
        MovementSample(id: "\($0)", start: start, end: start.adding(seconds: 60), steps: 1, device: "device \($0)")
      }
      let output = try await ana.send(RecordMovementSamples.self, .init(samples: samples))
      #expect(output.accepted == 100 && output.rejected.map(\.code) == [.tooManySources, .tooManySources])
    }
  }
}
