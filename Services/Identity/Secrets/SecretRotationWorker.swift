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

  /// Without secrets under older keys, as at most starts, nothing is written. Secrets of other kinds, which a newer version of the
  /// program keeps, wait for it.
  func renewAll() async throws {
    for kind in SecretKind.all {
      let heads = try await store.read { try SecretStore.heads(of: kind, in: $0) }
      // Without secrets no key is made.
      guard !heads.isEmpty else { continue }
      let newest: [UInt8]
      do {
        newest = try storage.newestHead()
      } catch {
        return try await store.write { try SecretStore.recordMissingKey(of: kind, $0) }
      }
      for head in heads where head != newest { try await renewAll(kind, beginning: head) }
    }
  }

  private func renewAll(_ kind: SecretKind, beginning head: [UInt8]) async throws {
    var last: [UInt8]? = []
    while let after = last {
      last = try await store.write { [storage] in
        try SecretStore.renew(kind, beginning: head, after: after, atMost: Self.batch, in: storage, $0)
      }
      try Task.checkCancellation()
    }
  }
}
