import IdentityContract
import InProcess
import Operations
import Sampling
import Testing

@testable import IdentityService

/// Looks for far smaller differences than the whole system's test (`Tests/EndToEnd/EnumerationTests.swift`) can: a password's hash
/// costs little here, so that nothing drowns in its noise and samples are many.
@Suite("Response times do not reveal whether an account exists", .timeLimit(.minutes(2)))
struct EnumerationTimingTests {
  private static let samples = 1_200
  /// Samples before them, which fill caches.
  private static let warmUp = 40
  /// Each is asked for by turns with others, so that nobody has tried too often.
  private static let people = 40
  /// Of the deviation by chance: nothing of what both kinds have in common passes that in ten thousand runs.
  private static let deviations = 4.0

  @Test("Identity takes equally long to refuse a wrong password of existing and unknown accounts (S 3, scenario 2)")
  func loggingIn() async throws {
    try await RunningIdentity.run { identity in
      try await compare(identity) { person, turn in
        let caller = Caller.person(from: "10.\(turn >> 16 & 255).\(turn >> 8 & 255).\(turn & 255)")
        do {
          _ = try await identity.ask(LogIn.self, .init(login: "\(person)@example.com", password: "Wrong-1-wrong"), by: caller)
          Issue.record("a wrong password was taken")
        } catch let failure as Failure {
          #expect(failure.code == "wrong_credentials")
        }
      }
    }
  }

  @Test("Identity takes equally long to answer recovery requests of existing and unknown accounts (S 5, scenario 2)")
  func recovery() async throws {
    try await RunningIdentity.run { identity in
      try await compare(identity) { person, _ in try await identity.askToRecover("\(person)@example.com") }
    }
  }

  /// Asks for accounts that there are and for such as there are not, always one of each in random order, so that whatever else the machine
  /// does befalls both alike.
  private func compare(_ identity: RunningIdentity, _ ask: (_ person: String, _ turn: Int) async throws -> Void) async throws {
    for number in 0..<Self.people { try await identity.register("known\(number)") }
    var durations: [Bool: [Duration]] = [:]
    for turn in 0..<Self.warmUp + Self.samples {
      // Whatever was tried before is forgotten.
      if turn.isMultiple(of: Self.people) {
        identity.time.advance(seconds: Lockout.memorySeconds + PasswordRecoveryRules.lifetimeSeconds)
      }
      let isKnownFirst = Bool.random()
      for isKnown in [isKnownFirst, !isKnownFirst] {
        let start = ContinuousClock.now
        try await ask("\(isKnown ? "known" : "other")\(turn % Self.people)", 2 * turn + (isKnown ? 1 : 0))
        let duration = ContinuousClock.now - start
        if turn >= Self.warmUp { durations[isKnown, default: []].append(duration) }
      }
    }
    let area = areaUnderCurve(durations[true] ?? [], durations[false] ?? [])
    let bound = Self.deviations * deviationOfArea(Self.samples, Self.samples)
    print("area under the curve \(area), by chance 0.5 ± \(bound / Self.deviations)")
    #expect(abs(area - 0.5) < bound, "known are distinguished from unknown by time")
  }
}
