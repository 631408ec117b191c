import Operations
import RewardsContract
import ServiceLifecycle
import Storage

/// Re-encrypts the codes of redemptions under the newest key after each start: a key is rotated by adding a file and restarting.
struct RedemptionCodeWorker: Service {
  private static let batch = 100

  let store: Store
  let codes: SealedCodes

  func run() async throws { try await cancelWhenGracefulShutdown { try await renewAll() } }

  func renewAll() async throws {
    // Without older codes, as at most starts, nothing is written.
    guard try await store.read({ [codes] in try !codes.older(after: .placeholder, atMost: 1, in: $0).isEmpty }) else { return }
    var last: RedemptionID? = .placeholder
    while let after = last {
      last = try await store.write { [codes] in try codes.renew(after: after, atMost: Self.batch, in: $0.database) }
      try Task.checkCancellation()
    }
  }
}
