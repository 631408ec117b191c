import ServiceKit
import ServiceLifecycle
import Storage

/// Ends suspensions whose time is over.
struct SuspensionWorker: Service {
  private static let batch = 200

  let store: Store
  var interval = Duration.seconds(10)

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Ends all that are due.
  func sweep() async throws {
    while try await store.write({ try SuspensionStore.endDue(limit: Self.batch, $0) }) == Self.batch {}
  }
}
