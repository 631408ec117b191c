import ActivityContract
import Synchronization

/// The imports for which a chunk is being written. Of two concurrent chunks one is written, and the other is treated as one that does not
/// continue the file: so no acknowledged bytes are overwritten.
final class ImportArrivals: Sendable {
  private let open = Mutex<Set<ImportID>>([])

  /// - Returns: nil, without running the body, where another chunk of the import is being written.
  func alone<T>(_ id: ImportID, _ body: () async throws -> T) async throws -> T? {
    guard open.withLock({ $0.insert(id).inserted }) else { return nil }
    defer { open.withLock { _ = $0.remove(id) } }
    return try await body()
  }
}
