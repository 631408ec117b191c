import Foundation
import GRDB
import Logging
public import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Store {
  /// Holds the writes between two commits until ``copy(_:to:)`` or ``release(_:)``; up to the queue's capacity, they wait. The copy will
  /// contain the state that the last commit left.
  ///
  /// If several stores are held before the first of them is released, their copies show the same moment: no copy holds a consequence of
  /// something that another lacks. The hold ends by itself ``StoreLimits/writesHeld`` after it was requested; its copy then fails.
  ///
  /// - Throws: ``BackupFailure``; ``Failure`` `unavailable` once closed.
  public func hold() async throws -> HoldID { try await holds.begin() }

  /// Releases the held writes without a copy.
  ///
  /// - Throws: ``BackupFailure/holdEnded``.
  public func release(_ hold: HoldID) throws { holds.end(try holds.release(hold).hold) }

  /// Releases the held writes at once, and copies the state at which they were held into one file.
  ///
  /// The copy is checked (see ``StoreLimits/maxFullCheckBytes``) and complete before it appears at that path. Opened as a store, it begins
  /// a new epoch.
  ///
  /// - Returns: how long the writes were held.
  /// - Throws: ``BackupFailure``, ``StoreFailure/damagedCopy(findings:)``, or the error of SQLite or the file system.
  @discardableResult
  public func copy(_ hold: HoldID, to path: String) async throws -> Duration {
    let (hold, duration) = try holds.release(hold)
    defer { holds.end(hold) }
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      // A copy takes long and blocks its thread, so it gets a thread of its own with a low priority.
      Thread { [self] in
        giveWay()
        continuation.resume(with: Result { try copy(hold.snapshot, to: path) })
      }.start()
    }
    return duration
  }

  private func copy(_ snapshot: DatabaseQueue, to path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else { throw BackupFailure.pathTaken.with(["path": .text(path)]) }
    let partial = "\(path).partial"
    do {
      try removeIfPresent(partial)
      try fill(partial, from: snapshot)
      try synchronize(partial)
      guard rename(partial, path) == 0 else { throw StoreFailure.file(path: path, errno: errno) }
      try synchronize((path as NSString).deletingLastPathComponent)
    } catch {
      let described = Store.described(error, path)
      // Report the first error. If the partial file cannot be removed now, the next copy to that path removes it.
      do { try removeIfPresent(partial) } catch { throw described }
      throw described
    }
  }

  /// Describes an error to the caller: in a container, for example, the folder may exist for the caller but not for this service.
  private static func described(_ error: any Error, _ path: String) -> any Error {
    let reason: Int32
    switch error {
    case StoreFailure.file(_, let errno): reason = errno
    case let error as DatabaseError where error.resultCode == .SQLITE_FULL: reason = ENOSPC
    default: return error
    }
    return BackupFailure.notWritten.with(["path": .text(path), "reason": .text(String(cString: strerror(reason)))])
  }

  private func fill(_ partial: String, from snapshot: DatabaseQueue) throws {
    // Private from its first byte on: the copy holds all of the store's data.
    let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailure.file(path: partial, errno: errno) }
    // Closed after the connection: closing any descriptor of the file releases SQLite's locks.
    defer { closeFile(descriptor) }
    let copy = try DatabaseQueue(path: ScrubbedFile.name(of: partial))
    // A file's first page says how the others are to be scrubbed, and SQLite may write others before it. The copy overwrites this value.
    try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 1") }
    let paced = PacedCopy(to: partial, descriptor, log: "\(path)-wal", limits, slowestCommit) { [holds, space] grown in
      try holds.checkOpen()
      // The growth of the log may be what fills the disk.
      guard grown == 0 || space.problem == nil else { throw BackupFailure.tooLong }
    }
    do {
      // Copies into one folder take turns: together they would use more of the disk than each leaves to others.
      let turn = try CopyTurn(in: (partial as NSString).deletingLastPathComponent, while: paced.checkSnapshot)
      defer { turn.end() }
      paced.begin()
      try fill(copy, from: snapshot, paced)
    }
    // Close the snapshot before the check, which takes as long as the copy.
    try snapshot.close()
    try copy.writeWithoutTransaction { database in
      // The copied header asks for a write-ahead log; this makes the copy a single, self-contained file.
      try database.execute(sql: "PRAGMA journal_mode = DELETE; UPDATE store_states SET is_copy = 1;")
      // The full check looks each index entry up in its table: for a file larger than the memory, that takes too long for a backup.
      let bytes = try size(of: descriptor, partial)
      let check = bytes > limits.maxFullCheckBytes ? "quick_check" : "integrity_check"
      let begun = ContinuousClock.now
      let findings = try String.fetchAll(database, sql: "PRAGMA \(check)(10)")
      logger.info(
        "a copy of the store was checked",
        metadata: [
          "check": .string(check), "bytes": "\(bytes)", "duration": "\(ContinuousClock.now - begun)",
          "isSound": "\(findings == ["ok"])",
        ])
      guard findings == ["ok"] else { throw StoreFailure.damagedCopy(findings: findings.joined(separator: "; ")) }
    }
    try copy.close()
    paced.leaveMemory()
  }

  private func fill(_ copy: DatabaseQueue, from snapshot: DatabaseQueue, _ paced: PacedCopy) throws {
    try snapshot.writeWithoutTransaction { source in
      try copy.writeWithoutTransaction { copy in
        var remaining: Int?
        // SQLite reads within the transaction that the source has begun, and begins anew only where there is none.
        try source.backup(to: copy, pagesPerStep: CInt(limits.pagesPerCopyStep)) { progress in
          let pages = (remaining ?? progress.totalPageCount) - progress.remainingPageCount
          remaining = progress.remainingPageCount
          // At completion an error thrown here would be lost; the final synchronization brings the remaining pages to the disk.
          guard !progress.isCompleted else { return }
          try paced.wrote(
            pages, done: Double(progress.totalPageCount - progress.remainingPageCount) / Double(progress.totalPageCount))
        }
      }
    }
  }
}

/// Free functions, since `close` inside ``Store`` is the store's own method.
private func closeFile(_ descriptor: CInt) { _ = close(descriptor) }

private func size(of descriptor: CInt, _ path: String) throws(StoreFailure) -> Int {
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw .file(path: path, errno: errno) }
  return Int(status.st_size)
}

/// Lowers the priority of the calling thread.
private func giveWay() {
  #if canImport(Glibc)
    // On Linux this applies to the thread alone (setpriority(2)). If it is refused, the thread keeps its priority.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
  #endif
}

/// Returns when the file, or the entries of the folder, will survive a power failure.
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
