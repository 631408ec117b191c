import ActivityContract
import Synchronization

/// The imports to whose files a chunk is being added. Of two chunks that come at the same time one is added, and the other is as one that
/// does not continue the file: so nothing is written over what the first was assured has arrived.
final class ImportArrivals: Sendable {
  private let open = Mutex<Set<ImportID>>([])

  /// - Returns: nil, and nothing is done, where another chunk of the import is being added.
  func alone<T>(_ id: ImportID, _ body: () async throws -> T) async throws -> T? {
    guard open.withLock({ $0.insert(id).inserted }) else { return nil }
    defer { open.withLock { _ = $0.remove(id) } }
    return try await body()
  }
}
