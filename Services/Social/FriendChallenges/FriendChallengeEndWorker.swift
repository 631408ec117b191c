import ServiceKit
import ServiceLifecycle
import Storage

/// Ends in steps the challenges that are left of many that ended together. They are over for both accounts already, so nobody waits for it,
/// and it looks once a second. What is left is in the store, so that a process that was killed continues there.
struct FriendChallengeEndWorker: Service {
  private static let limits = StepLimits(first: 20, max: 500)

  let store: Store

  func run() async throws { try await repeating(every: .seconds(1)) { try await settle() } }

  private func settle() async throws {
    // Without work nothing is written.
    guard try await store.read({ try FriendChallengeEndStore.isAnyLeft(in: $0) }) else { return }
    try await store.writeInSteps(of: "ends of challenges", Self.limits) {
      try FriendChallengeEndStore.settle(limit: $0, $1)
    }
  }
}
