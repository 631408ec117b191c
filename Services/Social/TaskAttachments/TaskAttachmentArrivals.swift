import Operations
import SocialContract
import Synchronization

/// The uploads to whose files something is being done. Of two chunks that come at the same time one is added, and the other is as one that
/// does not continue the file: so nothing is written over what the first was assured has arrived.
final class TaskAttachmentArrivals: Sendable {
  private let open = Mutex<Set<ID<TaskAttachment>>>([])

  /// - Returns: nil, and nothing is done, where something is being done to the upload already.
  func alone<T>(_ id: ID<TaskAttachment>, _ body: () async throws -> T) async throws -> T? {
    guard open.withLock({ $0.insert(id).inserted }) else { return nil }
    defer { open.withLock { _ = $0.remove(id) } }
    return try await body()
  }
}
