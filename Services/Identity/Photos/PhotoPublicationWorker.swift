import ServiceKit
import ServiceLifecycle
import Storage

/// Publishes once the accounts that had a photo before other services could learn of it, and ends.
struct PhotoPublicationWorker: Service {
  /// Accounts of one transaction, so that nobody waits long for it.
  static let batch = 100

  let store: Store

  func run() async throws { try await cancelWhenGracefulShutdown { try await publishAll() } }

  func publishAll() async throws {
    var published = 0
    repeat {
      published = try await store.write { try PhotoStore.publishEarlier(atMost: Self.batch, $0) }
      try Task.checkCancellation()
    } while published == Self.batch
  }
}
