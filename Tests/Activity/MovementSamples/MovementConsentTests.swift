import ActivityContract
import ActivityService
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@Suite("Samples of movement and the consent to activity data (ID-13; E data privacy)")
struct MovementConsentTests {
  private func batch(_ id: String, at clock: Instant, steps: Int = 10) -> RecordMovementSamples.Input {
    .init(
      samples: (0..<10).map { number in
        MovementSample(id: "\(id) \(number)", start: clock.adding(seconds: -60), end: clock, steps: steps)
      })
  }

  private func total(_ person: Person) async throws -> Int {
    let days = ListMovementDays.Input(from: try LocalDay(text: "2026-11-01"), to: try LocalDay(text: "2026-11-30"))
    return try await person.send(ListMovementDays.self, days).items.reduce(0) { $0 + $1.steps }
  }

  @Test("Samples of movement without consent are refused, naming it, and nothing is kept or published")
  func refused() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      for consents in [[], [ConsentPurpose.location]] {
        let ana = try await services.register(consents: consents)
        do {
          _ = try await ana.send(RecordMovementSamples.self, batch("a", at: services.clock.now))
          Issue.record("steps were taken without consent")
        } catch let failure as Failure {
          #expect(failure.code == "consent_required" && failure.status == 403)
          #expect(failure.parameters["consent"] == .text("activityData"))
          let words = Words(Contract.identity.words)
          for language in Language.allCases {
            #expect(words.text("failure.consent_required", language) != nil)
            #expect(
              words.text("failure.consent_required.suggestion", language, failure.parameters)?.contains("activityData") == true)
            #expect(words.text("reason.\(failure.parameters["reason"]!)", language) != nil)
          }
        }
        #expect(try await total(ana) == 0)
      }
      #expect(try await services.published(by: .activity).isEmpty)
      for table in ["movement_samples", "movement_accounts", "movement_days"] {
        #expect(try await services.store(of: .activity).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0)
      }
    }
  }

  @Test("Samples of movement are accepted as soon as consent is given, even before its event arrives")
  func given() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(consents: [])
      #expect(try await ana.failure(RecordMovementSamples.self, batch("a", at: services.clock.now)) == "consent_required")
      try await services.change(ana, isPublished: false) { $0.consents = [.activityData] }
      #expect(try await ana.send(RecordMovementSamples.self, batch("a", at: services.clock.now)).accepted == 10)
    }
  }

  @Test("Samples of movement are refused once the withdrawal is known; those from before stay until they are erased")
  func withdrawn() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      _ = try await ana.send(RecordMovementSamples.self, batch("a", at: services.clock.now))
      try await services.change(ana, receivedBy: .activity) { $0.consents = [] }
      #expect(try await ana.failure(RecordMovementSamples.self, batch("b", at: services.clock.now)) == "consent_required")
      // A repetition of what was taken is refused as well: it is sent anew.
      #expect(try await ana.failure(RecordMovementSamples.self, batch("a", at: services.clock.now)) == "consent_required")
      #expect(try await total(ana) == 100)
      // What people write down themselves is no measured data.
      let id = try await ana.makeActivity().id
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true))
      try await services.change(ana, receivedBy: .activity) { $0.consents = [.location, .activityData] }
      #expect(try await ana.send(RecordMovementSamples.self, batch("b", at: services.clock.now)).accepted == 10)
    }
  }

  @Test("Samples sent while consent is withdrawn are accepted or refused by batch, and refused once the withdrawal is known")
  func race() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let taken = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<200 {
          group.addTask {
            do {
              return try await ana.send(RecordMovementSamples.self, batch("\(number)", at: services.clock.now)).accepted
            } catch let failure as Failure where failure.code == "consent_required" {
              return 0
            }
          }
          if number == 20 { try await services.change(ana) { $0.consents = [] } }
        }
        var taken = 0
        for try await accepted in group {
          #expect(accepted == 0 || accepted == 10)
          taken += accepted
        }
        return taken
      }
      try await services.hasReceived(.activity, of: .identity)
      #expect(try await total(ana) == taken * 10)
      #expect(try await ana.failure(RecordMovementSamples.self, batch("late", at: services.clock.now)) == "consent_required")
      #expect(try await total(ana) == taken * 10)
    }
  }

  @Test("An account's event from before consents existed grants none, and is still accepted")
  func olderEvents() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      try await services.change(ana, receivedBy: .activity) {
        $0.consents = nil
        $0.mutesHelp = nil
      }
      #expect(try await ana.failure(RecordMovementSamples.self, batch("a", at: services.clock.now)) == "consent_required")
    }
  }

  @Test("A changed day start counts from the event on: 02:00 belongs to the day before where the day starts at 4")
  func dayStart() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      func sample(_ id: String) throws -> RecordMovementSamples.Input {
        let (start, end) = (try Instant(text: "2026-11-21T01:00:00Z"), try Instant(text: "2026-11-21T01:10:00Z"))
        return .init(samples: [MovementSample(id: id, start: start, end: end, steps: 10)])
      }
      #expect(try await ana.send(RecordMovementSamples.self, sample("a")).days.map(\.day.description) == ["2026-11-21"])
      try await services.change(ana, receivedBy: .activity) { $0.dayStartHour = 4 }
      #expect(try await ana.send(RecordMovementSamples.self, sample("b")).days.map(\.day.description) == ["2026-11-20"])
    }
  }
}
