import Synchronization

/// The uploads whose files are being written. Of two concurrent chunks of one upload only one is written, and the other is treated as one
/// that does not continue the file: so no acknowledged bytes are overwritten.
public final class ChunkWriters<Upload: Hashable & Sendable>: Sendable {
  private let writing = Mutex<Set<Upload>>([])

  public init() {}

  /// Runs the body while no other chunk of the upload is being written.
  ///
  /// - Returns: nil, without running the body, where another one is.
  public func alone<T>(_ upload: Upload, _ body: () async throws -> T) async throws -> T? {
    guard writing.withLock({ $0.insert(upload).inserted }) else { return nil }
    defer { writing.withLock { _ = $0.remove(upload) } }
    return try await body()
  }
}
