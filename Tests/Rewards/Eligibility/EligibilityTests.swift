import ActivityContract
import ActivityService
import GRDB
import IdentityContract
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Eligibility for rewards of movement (ID-13, SOC-8)")
struct EligibilityTests {
  private let today = LocalDay(daysSinceEpoch: 20_778)

  private func event(_ person: Person, steps: Int, revision: Int) -> MovementDaysChanged {
    MovementDaysChanged(
      accountID: person.id, recordedDay: today,
      days: [.init(day: today, steps: steps, earningSteps: steps, revision: revision)])
  }

  private func publish(_ person: Person, steps: Int, revision: Int, _ services: ServicesInProcess) async throws {
    try await services.publish(.activity, event(person, steps: steps, revision: revision))
    try await services.hasReceived(.rewards, of: .activity)
  }

  @Test("Withdrawing the consent to activity data keeps the coins, and earns and loses none afterwards (ID-13)")
  func withdrawn() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, { try Rewards.service($0) }]) { services in
      let ana = try await services.register()
      try await publish(ana, steps: 1000, revision: 1, services)
      #expect(try await services.balance(of: ana.id).coins == 10)
      try await services.change(ana, receivedBy: .rewards) { $0.consents = [.location] }
      // What activity published before it knew.
      try await publish(ana, steps: 3000, revision: 2, services)
      try await publish(ana, steps: 0, revision: 3, services)
      #expect(try await services.balance(of: ana.id).coins == 10)
      #expect(try await services.store(of: .rewards).rows("waiting_days") == 0)
      let isShown = try await services.store(of: .rewards).read { [now = services.clock.now] in
        try EligibilityStore.find(ana.id, at: now, in: $0).isShown
      }
      #expect(!isShown)
      // Given again: what is recorded from then on counts.
      services.clock.advance(seconds: 60)
      try await services.change(ana, receivedBy: .rewards) { $0.consents = [.activityData] }
      try await publish(ana, steps: 2000, revision: 4, services)
      #expect(try await services.balance(of: ana.id).coins == 20)
    }
  }

  @Test("Steps that arrive before the consent to them is known are counted once it is")
  func waiting() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, { try Rewards.service($0) }]) { services in
      let ana = try await services.register(consents: [])
      try await services.hasReceived(.rewards, of: .identity)
      try await publish(ana, steps: 1000, revision: 1, services)
      try await publish(ana, steps: 1500, revision: 2, services)
      #expect(try await services.balance(of: ana.id).coins == 0)
      try await services.change(ana, receivedBy: .rewards) { $0.consents = [.activityData] }
      #expect(try await services.balance(of: ana.id).coins == 15)
      #expect(try await services.store(of: .rewards).rows("waiting_days") == 0)
      // Those that wait for a consent that is withdrawn for good go.
      try await services.change(ana, receivedBy: .rewards) { $0.consents = [] }
      services.clock.advance(seconds: 1)
      try await publish(ana, steps: 1700, revision: 3, services)
      #expect(try await services.store(of: .rewards).rows("waiting_days") == 1)
      try await services.delete(ana, receivedBy: .rewards)
      #expect(try await services.store(of: .rewards).traces(of: ana.id) == [])
    }
  }

  @Test("Erased and suspended accounts and those without consent are not shown")
  func shown() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let (ana, ben, cleo, dora) = (
        try await services.register(), try await services.register(), try await services.register(consents: [.location]),
        try await services.register()
      )
      try await services.change(ben, receivedBy: .rewards) { $0.suspendedUntil = try Instant(text: "2026-11-24T12:00:00.000Z") }
      try await services.delete(dora, receivedBy: .rewards)
      func shown() async throws -> [Bool] {
        try await services.store(of: .rewards).read { [now = services.clock.now] database in
          try [ana, ben, cleo, dora].map { person in
            try EligibilityStore.find(person.id, at: now, in: database).isShown
          }
        }
      }
      #expect(try await shown() == [true, false, false, false])
      try services.clock.set("2026-11-24T12:00:00.000Z")
      #expect(try await shown() == [true, true, false, false])
    }
  }
}
