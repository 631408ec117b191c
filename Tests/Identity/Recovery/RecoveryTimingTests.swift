import IdentityContract
import Operations
import Sampling
import Testing

@testable import IdentityService

@Suite("How long asking for a recovery link takes")
struct RecoveryTimingTests {
  @Test("does not tell an address that an account has from one that none has (S 5, scenario 2)")
  func indistinguishable() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      var (known, unknown): ([Duration], [Duration]) = ([], [])
      // By turns, and each as often first, so that whatever else the machine does befalls both alike.
      for number in 0..<250 {
        if number.isMultiple(of: 2) { unknown.append(try await duration(of: "eva@example.com", identity)) }
        known.append(try await duration(of: "ana@example.com", identity))
        if !number.isMultiple(of: 2) { unknown.append(try await duration(of: "eva@example.com", identity)) }
        // Nobody has asked too often.
        identity.time.advance(seconds: RecoveryRule.lifetimeSeconds)
      }
      // By chance alone it is 0.5 with a standard deviation of 0.026.
      #expect((0.38...0.62).contains(areaUnderCurve(known.dropFirst(10), unknown.dropFirst(10))))
    }
  }

  private func duration(of email: String, _ identity: RunningIdentity) async throws -> Duration {
    let start = ContinuousClock.now
    try await identity.askToRecover(email)
    return ContinuousClock.now - start
  }
}
