import Cluster
import Operations
import Synchronization
import Testing

/// Kills each of the six in turn at random moments, while the others go on.
struct Chaos {
  let cluster: RunningCluster
  let rounds: Int

  /// Returns when every program has been killed `rounds` times and the cluster is ready again.
  func run() async throws {
    for _ in 0..<rounds {
      for service in ServiceName.allCases.shuffled() {
        // A random moment is the point: whatever runs then is cut off.
        try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
        cluster.kill(service)
      }
    }
    try await cluster.waitUntilReady()
  }
}

/// Rounds of a flow over several services, some of which are killed amid it.
enum KillRounds {
  /// Runs a cluster, as many rounds as usual or as `RACHA_FAULT_ROUNDS` says, and then expects that all six stop gracefully.
  static func run(_ usual: Int, _ round: (_ number: Int, _ cluster: RunningCluster) async throws -> Void) async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    for number in 0..<Play.rounds(usual) { try await round(number, cluster) }
    // One that has just been started again is not ready to be asked to stop.
    try await cluster.waitUntilReady()
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  /// Kills services in a random order, a random moment before each: whatever runs then is cut off.
  static func kill(_ services: [ServiceName], _ cluster: RunningCluster, within milliseconds: Int = 60) async throws {
    for service in services.shuffled() {
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...milliseconds)))
      cluster.kill(service)
    }
  }
}

/// Whether something has happened yet, for loops that go on until then.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isUp: Bool { value.load(ordering: .acquiring) }
  func raise() { value.store(true, ordering: .releasing) }
}

/// Asks until the answer is as expected, and returns the last answer.
func eventually<T: Sendable>(
  seconds: Int = 60, _ ask: () async throws -> T, until isRight: (T) -> Bool
) async throws -> T {
  let end = Instant.now.adding(seconds: seconds)
  while true {
    let answer = try await ask()
    if isRight(answer) || Instant.now > end { return answer }
    // Effects of events arrive in their own time; what is read is the thing waited for.
    try await Task.sleep(for: .milliseconds(50))
  }
}
