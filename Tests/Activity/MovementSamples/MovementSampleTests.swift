import ActivityContract
import ActivityService
import GRDB
import InProcess
import Operations
import Sampling
import Storage
import Testing

@Suite("Samples of movement (MOVE-1, MOVE-2; E UC-02)")
struct MovementSampleTests {
  @Test("Samples of movement make the totals of local days, published once a batch")
  func totals() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      let output = try await ana.send(
        RecordMovementSamples.self,
        .init(samples: [
          try sample("a", "2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z", 1000),
          // Midnight in Madrid is 23:00 UTC.
          try sample("b", "2026-11-20T22:30:00Z", "2026-11-20T23:30:00Z", 301),
          try sample("c", "2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z", 500),
        ]))
      #expect(output.accepted == 3 && output.repeated == 0 && output.rejected.isEmpty)
      #expect(output.days == [try day("2026-11-20", 1150), try day("2026-11-21", 651)])
      let published = try await services.published(by: .activity)
      #expect(published.map(\.name) == ["movementDays.changed"])
      let event = try MovementDaysChanged.decode(published[0].body)
      #expect(event.accountID == ana.id && event.recordedDay.description == "2026-11-21")
      #expect(event.days.map(\.steps) == [1150, 651])
      let list = try await ana.send(
        ListMovementDays.self, .init(from: try LocalDay(text: "2026-11-01"), to: try LocalDay(text: "2026-11-30")))
      #expect(list.items == output.days)
      #expect(
        try await services.register().send(
          ListMovementDays.self, .init(from: try LocalDay(text: "2026-11-01"), to: try LocalDay(text: "2026-11-30"))
        ).items.isEmpty)
    }
  }

  @Test("Half a century of samples recorded on one day is published to a new subscriber in events of acceptable size")
  func longHistory() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let days = 19_000
      let end = try Instant(text: "2026-11-21T00:00:00.000Z")
      for first in stride(from: 1, to: days, by: 1000) {
        let samples = (first..<min(first + 1000, days)).map { back in
          MovementSample(
            id: "\(back)", start: end.adding(seconds: -back * 86_400), end: end.adding(seconds: -back * 86_400 + 600), steps: 1,
            source: "test", device: "phone")
        }
        #expect(try await ana.send(RecordMovementSamples.self, .init(samples: samples)).accepted == samples.count)
      }
      let snapshot = try await services.snapshot(of: .activity).filter { $0.name == MovementDaysChanged.spec.name }
      #expect(snapshot.allSatisfy { $0.body.count < 1 << 18 })
      let published = try snapshot.flatMap { try MovementDaysChanged.decode($0.body).days }
      #expect(published.count == days - 1 && Set(published.map(\.day)).count == days - 1)
    }
  }

  @Test("Samples of movement repeated change nothing; another sample of the same id is a conflict, and the first one stays")
  func repeated() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      let first = try sample("a", "2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z", 500)
      #expect(try await ana.send(RecordMovementSamples.self, .init(samples: [first, first])).repeated == 1)
      var output = try await ana.send(RecordMovementSamples.self, .init(samples: [first]))
      #expect(output == .init(accepted: 0, repeated: 1, rejected: [], days: []))
      var others = [first, first, first, first, first]
      others[0].amount = 501
      others[1].start = first.start.adding(seconds: 1)
      others[2].end = first.end.adding(seconds: 1)
      others[3].source = "another"
      others[4].device = "another"
      output = try await ana.send(RecordMovementSamples.self, .init(samples: others))
      #expect(output.accepted == 0 && output.rejected == (0..<5).map { RejectedSample(index: $0, id: "a", code: .conflict) })
      #expect(try await ben.send(RecordMovementSamples.self, .init(samples: [first])).accepted == 1)
      #expect(try await services.published(by: .activity).count == 2)
    }
  }

  @Test("Samples of movement with impossible times are set aside, each with its reason, and the rest is accepted")
  func rejected() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register()
      let output = try await ana.send(
        RecordMovementSamples.self,
        .init(samples: [
          try sample("future", "2027-11-22T11:00:00Z", "2027-11-22T12:00:00.001Z", 1),
          try sample("soon", "2027-11-22T11:00:00Z", "2027-11-22T12:00:00Z", 2),
          try sample("backwards", "2026-11-21T08:00:00Z", "2026-11-21T07:59:59.999Z", 4),
          try sample("long", "2026-11-19T08:00:00Z", "2026-11-20T08:00:00.001Z", 8),
          try sample("day", "2026-11-19T08:00:00Z", "2026-11-20T08:00:00Z", 16),
          try sample("old", "1969-12-31T23:59:59Z", "1970-01-01T00:00:01Z", 32),
          try sample("moment", "2026-11-21T08:00:00Z", "2026-11-21T08:00:00Z", 64),
        ]))
      #expect(
        output.rejected.map { "\($0.index) \($0.id) \($0.code)" } == [
          "0 future tooFarAhead", "2 backwards endsBeforeStart", "3 long tooLong", "5 old tooOld",
        ])
      #expect(output.accepted == 3 && output.days.reduce(0) { $0 + $1.steps } == 2 + 16 + 64)
    }
  }

  @Test("Samples of movement stay in the days in which they were made when the account moves to another zone")
  func travel() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      let first = try sample("a", "2026-11-20T23:30:00Z", "2026-11-20T23:40:00Z", 500)
      #expect(try await ana.send(RecordMovementSamples.self, .init(samples: [first])).days == [try day("2026-11-21", 500)])
      try await services.move(ana, to: "America/New_York", receivedBy: .activity)
      let second = try sample("b", "2026-11-20T23:30:00Z", "2026-11-20T23:40:00Z", 70)
      let output = try await ana.send(RecordMovementSamples.self, .init(samples: [first, second]))
      #expect(output.repeated == 1)
      #expect(output.days == [try day("2026-11-20", 70)])
    }
  }

  @Test("Samples of movement sent many times at once and in any order make the same totals")
  func races() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let people = [try await services.register(timeZone: "Europe/Madrid"), try await services.register(timeZone: "Asia/Tokyo")]
      let start = try Instant(text: "2026-11-10T00:00:00Z")
      let samples = (0..<2000).map { number in
        MovementSample(
          id: "sample \(number)", start: start.adding(seconds: number * 450), end: start.adding(seconds: number * 450 + 900),
          steps: number % 97, source: "band", device: "wrist")
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for person in people {
          for copy in 0..<3 {
            var random = SeededGenerator(UInt64(copy))
            let shuffled = samples.shuffled(using: &random)
            for part in stride(from: 0, to: shuffled.count, by: 250) {
              group.addTask {
                let output = try await person.send(
                  RecordMovementSamples.self, .init(samples: Array(shuffled[part..<min(part + 250, shuffled.count)])))
                #expect(output.rejected.isEmpty)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let all = LocalDay(daysSinceEpoch: 20_700)
      for person in people {
        let days = try await person.send(ListMovementDays.self, .init(from: all.advanced(by: -200), to: all.advanced(by: 199)))
        #expect(days.items.reduce(0) { $0 + $1.steps } == samples.reduce(0) { $0 + Int($1.amount) })
        #expect(days.items.count == 11)
      }
    }
  }

  @Test("Samples of movement are listed over at most 400 days")
  func range() throws {
    func fault(_ to: String) -> String? {
      do {
        _ = try ListMovementDays.Input.decode([], parameters: ["from": "2026-01-01", "to": to])
        return nil
      } catch {
        return error.fields.first?.code
      }
    }
    #expect(fault("2026-01-01") == nil && fault("2027-02-04") == nil)
    #expect(fault("2025-12-31") == "out_of_range" && fault("2027-02-05") == "out_of_range")
  }

  private func sample(_ id: String, _ start: String, _ end: String, _ steps: Int) throws -> MovementSample {
    MovementSample(id: id, start: try Instant(text: start), end: try Instant(text: end), steps: steps)
  }

  private func day(_ day: String, _ steps: Int) throws -> MovementDay {
    MovementDay(day: try LocalDay(text: day), steps: steps, earningSteps: steps)
  }
}
