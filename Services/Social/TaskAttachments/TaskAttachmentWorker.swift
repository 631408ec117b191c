import Operations
import ServiceKit
import ServiceLifecycle
import SocialContract
import Storage

/// Ends uploads that have not come on, and removes files that nothing names: at its start, as after a kill, when something was deleted, and
/// now and then.
struct TaskAttachmentWorker: Service {
  let store: Store
  let files: TaskAttachmentFiles
  let signal: TaskAttachmentSignal

  private static let interval = Duration.seconds(600)

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          while true {
            signal()
            try await Task.sleep(for: Self.interval)
          }
        }
        group.addTask { for await _ in signal.signals { try await keep() } }
        try await group.next()
        group.cancelAll()
      }
    }
  }

  /// Does all there is to do.
  func keep() async throws {
    try await expire()
    _ = try await removeUnreferenced()
    try await removeStrays()
  }

  private func expire() async throws {
    var idle = try await store.write { try TaskAttachmentUploadStore.expire($0) }
    while !idle.isEmpty {
      for id in idle { try await files.removeUpload(id) }
      idle = try await store.write { try TaskAttachmentUploadStore.expire($0) }
    }
  }

  /// Removes contents without a reference, each in its own transaction.
  ///
  /// - Returns: whether all of them are gone; false during a backup.
  func removeUnreferenced() async throws -> Bool {
    var (last, areGone): (FileHash?, Bool) = (nil, true)
    while true {
      let after = last
      let found = try await store.read { try TaskAttachmentStore.unreferenced(after: after, in: $0) }
      guard let end = found.last else { return areGone }
      for hash in found where try await !remove(hash) { areGone = false }
      last = end
    }
  }

  /// Removes a content unless something names it.
  ///
  /// - Returns: false where it is to go and is still there.
  private func remove(_ hash: FileHash) async throws -> Bool {
    try await store.write { [files] transaction in
      guard try !TaskAttachmentStore.isNamed(hash, in: transaction.database) else { return true }
      guard try files.removeContent(hash) else { return false }
      try TaskAttachmentStore.forget(hash, in: transaction.database)
      return true
    }
  }

  /// Removes files that are not in the store: leftovers of a killed process, and files of erased accounts.
  func removeStrays() async throws {
    // Files are listed first: the store then knows every upload announced meanwhile.
    for id in try await files.allUploads() where try await store.read({ try TaskAttachmentUploadStore.find(id, in: $0) }) == nil {
      try await files.removeUpload(id)
    }
    for hash in try await files.allContents()
    where try await !store.read({ try TaskAttachmentStore.isNamed(hash, in: $0) }) { _ = try await remove(hash) }
  }
}
