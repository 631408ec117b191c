import GRDB
import Operations
import ServiceLifecycle
import SocialContract
import Storage

/// Removes files that the store does not know, such as those that a restored backup or a power failure has left. It goes through all files:
/// at its start, and once a day.
struct TaskAttachmentStrayWorker: Service {
  let store: Store
  let files: TaskAttachmentFiles

  private static let interval = Duration.seconds(86_400)
  /// The same where some could not be removed.
  private static let intervalOfRetry = Duration.seconds(60)
  /// How many files the store is asked about at a time.
  private static let step = 100

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while true {
        let areGone = try await removeStrays()
        try await Task.sleep(for: areGone ? Self.interval : Self.intervalOfRetry)
      }
    }
  }

  /// Goes through all files, folder by folder.
  ///
  /// - Returns: whether all strays are gone; false during a backup, or while one is still being written.
  func removeStrays() async throws -> Bool {
    // Files are listed first: the store then knows every upload announced meanwhile.
    var areGone = try await removeStrays(
      of: files.allUploads(), isStray: { try TaskAttachmentUploadStore.find($0, in: $1) == nil },
      remove: { try await files.removeUpload($0) })
    for folder in try await files.contentFolders() {
      let areContentsGone = try await removeStrays(
        of: files.hashes(in: folder), isStray: { try !TaskAttachmentStore.isNamed($0, in: $1) },
        remove: { try await files.removeUnlessNamed($0, in: store) })
      areGone = areGone && areContentsGone
    }
    if areGone { files.strays.noteGone() }
    return areGone
  }

  /// The same with some of the files; it leaves the store to others for as long as each step took.
  private func removeStrays<File: Sendable>(
    of all: [File], isStray: @escaping @Sendable (File, Database) throws -> Bool, remove: (File) async throws -> Bool
  ) async throws -> Bool {
    var areGone = true
    for first in stride(from: 0, to: all.count, by: Self.step) {
      let start = ContinuousClock.now
      let asked = all[first..<min(first + Self.step, all.count)]
      let strays = try await store.read { database in try asked.filter { try isStray($0, database) } }
      for stray in strays where try await !remove(stray) { areGone = false }
      try await Task.sleep(for: ContinuousClock.now - start)
    }
    return areGone
  }
}
