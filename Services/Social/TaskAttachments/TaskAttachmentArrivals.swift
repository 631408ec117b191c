import Operations
import SocialContract
import Synchronization

/// The uploads whose files are being worked on. Of two concurrent chunks only one is added, and the other is treated as one that does not
/// continue the file: so no acknowledged bytes are overwritten.
final class TaskAttachmentArrivals: Sendable {
  private let open = Mutex<Set<ID<TaskAttachment>>>([])

  /// - Returns: nil, without running the body, where the upload is being worked on already.
  func alone<T>(_ id: ID<TaskAttachment>, _ body: () async throws -> T) async throws -> T? {
    guard open.withLock({ $0.insert(id).inserted }) else { return nil }
    defer { open.withLock { _ = $0.remove(id) } }
    return try await body()
  }
}
