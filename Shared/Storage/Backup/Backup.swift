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
  /// Holds the writes between two commits until ``copy(_:to:)`` or ``release(_:)``; they wait, as many as may. What is to be copied is
  /// the state that the last commit left.
  ///
  /// Where several stores hold before the first of them goes on, their copies are of one moment: no copy holds what followed from
  /// something that another lacks. The hold ends by itself ``StoreLimits/writesHeld`` after it was asked for, and then its copy fails.
  ///
  /// - Throws: ``BackupFailure``; ``Failure`` `unavailable` once closed.
  public func hold() async throws -> HoldID { try await holds.begin() }

  /// Lets the held writes go on without a copy.
  ///
  /// - Throws: ``BackupFailure/holdEnded``.
  public func release(_ hold: HoldID) throws { holds.end(try holds.release(hold).hold) }

  /// Lets the held writes go on at once, and copies the state that they were held at into one file.
  ///
  /// The copy is checked (see ``StoreLimits/maxFullCheckBytes``) and complete before it appears under that path. Opened as a store, it begins
  /// an epoch of its own.
  ///
  /// - Returns: how long the writes were held.
  /// - Throws: ``BackupFailure``, ``StoreFailure/damagedCopy(findings:)``, or the error of SQLite or the file system.
  @discardableResult
  public func copy(_ hold: HoldID, to path: String) async throws -> Duration {
    let (hold, duration) = try holds.release(hold)
    defer { holds.end(hold) }
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      // A copy takes long and blocks its thread, which is one that gives way to all that answer.
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
      // What went wrong first is reported; what cannot be removed now, the next copy to that path removes.
      do { try removeIfPresent(partial) } catch { throw described }
      throw described
    }
  }

  /// For whoever asked: in a container, say, the folder may be there where they are, and not where this service is.
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
    // Private from its first byte on: it holds all that the store holds.
    let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailure.file(path: partial, errno: errno) }
    // Behind the connection: what SQLite has locked would be unlocked with any descriptor of the file.
    defer { closeFile(descriptor) }
    let copy = try DatabaseQueue(path: ScrubbedFile.name(of: partial))
    // A file's first page says how the others are to be scrubbed, and SQLite may write others before it. What this sets is copied over.
    try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 1") }
    let paced = PacedCopy(to: partial, descriptor, log: "\(path)-wal", limits, slowestCommit) { [holds, space] grown in
      try holds.checkOpen()
      // What the log has grown by may be what fills the disk.
      guard grown == 0 || space.problem == nil else { throw BackupFailure.tooLong }
    }
    do {
      // Together, those who copy into one folder would want more of the disk than each leaves to others.
      let turn = try CopyTurn(in: (partial as NSString).deletingLastPathComponent, while: paced.checkSnapshot)
      defer { turn.end() }
      paced.begin()
      try fill(copy, from: snapshot, paced)
    }
    // Before the check, which takes as long again.
    try snapshot.close()
    try copy.writeWithoutTransaction { database in
      // The copied header asks for a write-ahead log; this makes it one file, whole by itself.
      try database.execute(sql: "PRAGMA journal_mode = DELETE; UPDATE store_states SET is_copy = 1;")
      // The full check looks each index entry up in its table: where the file is larger than the memory, a backup has no time for that.
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
          // What it would throw then is lost, and the end brings the rest to the disk itself.
          guard !progress.isCompleted else { return }
          try paced.wrote(
            pages, done: Double(progress.totalPageCount - progress.remainingPageCount) / Double(progress.totalPageCount))
        }
      }
    }
  }
}

/// Free functions, for `close` inside ``Store`` is the store's own.
private func closeFile(_ descriptor: CInt) { _ = close(descriptor) }

private func size(of descriptor: CInt, _ path: String) throws(StoreFailure) -> Int {
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw .file(path: path, errno: errno) }
  return Int(status.st_size)
}

/// Lets the calling thread have the processors only where nobody else wants them.
private func giveWay() {
  #if canImport(Glibc)
    // Linux takes a thread for a process here (setpriority(2)); where it is refused, nothing is lost but that.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
  #endif
}

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
