import IdentityContract
import InProcess
import Operations
import RewardsContract
import RewardsService
import Storage
import Testing

@Suite("Suspended accounts in rewards (SOC-8)")
struct SuspendedAccountTests {
  @Test("Suspended accounts are refused, also for answers from memory, until the suspension ends")
  func refused() async throws {
    try await ServicesInProcess.running([{ try Rewards.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      try await services.hasReceived(.rewards, of: .identity)
      // What is known in memory is changed right after the commit, before the next write.
      try await services.store(of: .rewards).write { _ in }
      // One is remembered from before, the other is not.
      #expect(try await ana.failure(GetBalance.self, .init()) == nil)
      for person in [ana, ben] {
        try await services.change(person, receivedBy: .rewards) {
          $0.suspendedUntil = try Instant(text: "2026-11-24T12:00:00.000Z")
        }
        #expect(try await person.failure(GetBalance.self, .init()) == "account_suspended")
        #expect(try await person.failure(ListTransfers.self, .init()) == "account_suspended")
      }
      try services.clock.set("2026-11-24T12:00:00.000Z")
      for person in [ana, ben] { #expect(try await person.failure(GetBalance.self, .init()) == nil) }
    }
  }
}
