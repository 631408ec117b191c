import SecureStorage
import ServiceLifecycle
import Storage

/// Brings the secrets under the newest key after each start: keys are rotated by adding a file and starting again.
struct SecretRotationWorker: Service {
  private static let batch = 100

  let store: Store
  let storage: SecureStorage

  func run() async throws {
    try await cancelWhenGracefulShutdown { try await renewAll() }
  }

  func renewAll() async throws {
    var last: SecretName?
    repeat {
      last = try await store.write { [last, storage] in try SecretStore.renew(after: last, atMost: Self.batch, in: storage, $0) }
      try Task.checkCancellation()
    } while last != nil
  }
}
