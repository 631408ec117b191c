import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import Sampling
import Testing

/// What whoever asks over the network can learn about who has an account: nothing, neither by words nor by time.
///
/// `deploy/racha faults timing` takes 2,000 samples of each kind (`RACHA_TIMING_SAMPLES`). The few of a usual run find answers that differ in
/// words, or by tens of milliseconds; for what identity takes longer by tenths of one, `Tests/Identity/Accounts/EnumerationTimingTests.swift`
/// looks each time.
@Suite("Existing accounts cannot be distinguished from unknown ones", .serialized)
struct EnumerationTests {
  private static let samples = ProcessInfo.processInfo.environment["RACHA_TIMING_SAMPLES"].flatMap { Int($0) } ?? 120
  /// Fewer than an account's wait to log in and the links an hour would allow.
  private static let usesOfAnAccount = 3

  @Test("Neither a wrong password nor a recovery request reveals whether an account exists (S 3, scenario 2; S 5, scenario 2)")
  func indistinguishable() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let people = (Self.samples + Self.usesOfAnAccount - 1) / Self.usesOfAnAccount
    try await register(people, cluster)
    try compare("logging in", LogIn.self, cluster) { LogIn.Input(login: "\($0)@example.org", password: "Wrong-1-wrong") }
    try compare("recovery", RequestPasswordRecovery.self, cluster) {
      RequestPasswordRecovery.Input(email: .init(text: "\($0)@example.org"))
    }
  }

  /// `known0`, `known1`, …
  private func register(_ count: Int, _ cluster: RunningCluster) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for index in stride(from: worker, to: count, by: 4) {
            _ = try await cluster.client.callUntilDone(
              RegisterAccount.self,
              .init(
                email: .init(text: "known\(index)@example.org"), username: .init(text: "known\(index)"),
                password: .init(text: "Rio-7-lento"), passwordConfirmation: .init(text: "Rio-7-lento")),
              idempotencyKey: "known\(index)")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Asks for known and unknown ones in random order, each time from another address, and compares words and times.
  private func compare<O: Operations.Operation>(
    _ name: String, _: O.Type, _ cluster: RunningCluster, _ input: (String) -> O.Input
  ) throws {
    guard let path = O.spec.route?.path else { throw RunningCluster.NotReady(description: "\(O.spec.name) has no route") }
    var durations: [Bool: [Duration]] = [:]
    var answers: Set<String> = []
    let order = (0..<Self.samples).flatMap { [(isKnown: true, index: $0), (isKnown: false, index: $0)] }.shuffled()
    for (turn, (isKnown, index)) in order.enumerated() {
      let person = "\(isKnown ? "known" : "other")\(index / Self.usesOfAnAccount)"
      let address = "127.\(1 + turn / 62_500 + (name.count << 2)).\(turn / 250 % 250).\(1 + turn % 250)"
      let connection = try PlainConnection(from: address, to: cluster.httpPort)
      let answer = try connection.post(path, input(person))
      durations[isKnown, default: []].append(answer.duration)
      // Each answer names its request.
      answers.insert("\(answer.status) \(answer.body)".replacing(person, with: "somebody").replacing(/[0-9a-f-]{36}/, with: ""))
    }
    #expect(answers.count == 1, "\(name): \(answers.prefix(3))")
    let area = areaUnderCurve(durations[true] ?? [], durations[false] ?? [])
    let deviation = deviationOfArea(Self.samples, Self.samples)
    print("\(name): area under the curve \(area), \(Self.samples) samples of each kind, by chance 0.5 ± \(deviation)")
    // 0.05 is what is promised; with few samples chance alone passes that.
    #expect(abs(area - 0.5) < max(0.05, 4 * deviation), "\(name) distinguishes known from unknown by time")
  }
}
