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

  /// Without codes under older keys, as at most starts, nothing is written.
  func renewAll() async throws {
    let heads = try await store.read { try RedemptionStore.heads(in: $0) }
    // Without codes no key is made.
    guard !heads.isEmpty, let newest = codes.newestHead() else { return }
    for head in heads where head != newest { try await renewAll(beginning: head) }
  }

  private func renewAll(beginning head: [UInt8]) async throws {
    var last: RedemptionID? = .placeholder
    while let after = last {
      last = try await store.write { [codes] in
        try codes.renew(beginning: head, after: after, atMost: Self.batch, in: $0.database)
      }
      try Task.checkCancellation()
    }
  }
}
