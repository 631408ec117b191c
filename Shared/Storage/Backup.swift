import Dispatch
import Foundation
import GRDB
import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Store {
  /// Copies the running store into one file: the state at one moment, while reads and writes go on.
  ///
  /// The copy is checked and complete before it appears under that path, where it replaces an older one. Opened as a store, it begins
  /// an epoch of its own.
  ///
  /// - Throws: ``StoreFailure/damagedCopy(findings:)``, or the error of SQLite or the file system.
  public func backup(to path: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      // A copy takes long and blocks its thread.
      DispatchQueue.global(qos: .utility).async { [self] in
        continuation.resume(with: Result { try copy(to: path) })
      }
    }
  }

  private func copy(to path: String) throws {
    let partial = "\(path).partial"
    try removeIfPresent(partial)
    do {
      try fill(partial)
      try synchronize(partial)
      guard rename(partial, path) == 0 else { throw StoreFailure.file(path: path, errno: errno) }
      try synchronize((path as NSString).deletingLastPathComponent)
    } catch {
      try removeIfPresent(partial)
      throw error
    }
  }

  private func fill(_ partial: String) throws {
    // Private from its first byte on: it holds all that the store holds.
    let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailure.file(path: partial, errno: errno) }
    closeFile(descriptor)
    let source = try DatabaseQueue(path: self.path, configuration: Connections.reading)
    let copy = try DatabaseQueue(path: partial)
    // In one step, which reads one state; with a write-ahead log no writer waits for it.
    try source.backup(to: copy)
    try source.close()
    try copy.writeWithoutTransaction { database in
      // The copied header asks for a write-ahead log; this makes it one file, whole by itself.
      try database.execute(sql: "PRAGMA journal_mode = DELETE; UPDATE store_states SET is_copy = 1;")
      let findings = try String.fetchAll(database, sql: "PRAGMA integrity_check(10)")
      guard findings == ["ok"] else { throw StoreFailure.damagedCopy(findings: findings.joined(separator: "; ")) }
    }
    try copy.close()
  }
}

/// Free functions, for `close` inside ``Store`` is the store's own.
private func closeFile(_ descriptor: CInt) { _ = close(descriptor) }

/// Returns when the file, or the entries of the folder, will survive a loss of power.
private func synchronize(_ path: String) throws(StoreFailure) {
  let path = path.isEmpty ? "." : path
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .file(path: path, errno: errno) }
  defer { closeFile(descriptor) }
  guard fsync(descriptor) == 0 else { throw .file(path: path, errno: errno) }
}

private func removeIfPresent(_ path: String) throws(StoreFailure) {
  guard unlink(path) == 0 || errno == ENOENT else { throw .file(path: path, errno: errno) }
}
