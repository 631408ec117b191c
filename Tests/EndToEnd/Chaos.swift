import Cluster
import Operations
import Synchronization

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
