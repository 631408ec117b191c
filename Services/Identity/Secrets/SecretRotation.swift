import Logging
import SecureStorage
import ServiceLifecycle
import Storage

/// Brings the secrets under the newest key after each start: keys are rotated by adding a file and starting again.
struct SecretRotation: Service {
  private static let batch = 100

  let store: Store
  let storage: SecureStorage
  let logger: Logger

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await renewAll() }
    } catch is CancellationError {
      // The next start goes on.
    } catch {
      // What failed is recorded as a security event; sealed under an older key it can be read as before.
      logger.warning("secrets were not sealed anew", metadata: ["error": .string("\(type(of: error))")])
    }
  }

  func renewAll() async throws {
    var last: SecretName?
    repeat {
      last = try await store.write { [last, storage] in try $0.renewSecrets(after: last, atMost: Self.batch, in: storage) }
      try Task.checkCancellation()
    } while last != nil
  }
}
