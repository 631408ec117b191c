import Operations
import ServiceKit
import ServiceLifecycle
import SocialContract
import Storage

/// Ends uploads that have not come on, and removes the files that the store notes as of no more use: at its start, as after a kill, when
/// something was deleted, and now and then. It looks at no other files.
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
    while try await store.write({ try TaskAttachmentUploadStore.expire($0) }) {}
    _ = try await removeNoted()
  }

  /// Removes the files of ended uploads, and contents without a reference.
  ///
  /// - Returns: whether all of them are gone; false during a backup, or while an ended upload is still being written.
  func removeNoted() async throws -> Bool {
    let areEndedGone = try await removeEnded()
    return try await removeUnreferenced() && areEndedGone
  }

  private func removeEnded() async throws -> Bool {
    var (last, areGone): (ID<TaskAttachment>?, Bool) = (nil, true)
    while true {
      let after = last
      let found = try await store.read { try TaskAttachmentUploadStore.ended(after: after, in: $0) }
      guard let end = found.last else { return areGone }
      var gone: [ID<TaskAttachment>] = []
      for upload in found where try await removeFiles(of: upload) { gone.append(upload.id) }
      if !gone.isEmpty {
        try await store.write { [gone] transaction in try TaskAttachmentUploadStore.forget(gone, transaction) }
      }
      if gone.count < found.count { areGone = false }
      last = end.id
    }
  }

  /// Once its upload is removed nothing becomes a content any more: so the content is looked for last.
  private func removeFiles(of upload: TaskAttachmentUploadStore.Ended) async throws -> Bool {
    guard try await files.removeUpload(upload.id) else { return false }
    guard let sha256 = upload.sha256 else { return true }
    return try await files.removeUnlessNamed(sha256, in: store)
  }

  /// Removes contents without a reference, each in its own transaction.
  private func removeUnreferenced() async throws -> Bool {
    var last: FileHash?
    while true {
      let after = last
      let found = try await store.read { try TaskAttachmentStore.unreferenced(after: after, in: $0) }
      guard let end = found.last else { return true }
      // A backup that keeps one keeps them all.
      for hash in found where try await !files.removeUnlessNamed(hash, in: store) { return false }
      last = end
    }
  }
}
