import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A copy that is brought to the disk in pieces, with pauses between them as ``CopyPace`` says.
///
/// Otherwise gigabytes of it would collect in the system's memory and go to the disk at once, and each commit would wait for them. Pages
/// that are on the disk leave the system's memory, where they would displace data that is in regular use.
///
/// Used on one thread, which it blocks.
final class PacedCopy {
  /// Throws if the copy is to be given up; called often, with the bytes by which the log has grown.
  private let check: (_ grown: Int) throws -> Void
  private let path: String
  private let descriptor: CInt
  private let limits: StoreLimits
  private let commits: SlowestCommit
  private let log: String
  /// When the reading of the snapshot began, and the log's size then: the log cannot be truncated meanwhile.
  private let start = ContinuousClock.now
  private let logSize: Int
  /// The same for the copying itself, which may have waited for the turns of other copies.
  private var turn: (start: ContinuousClock.Instant, logSize: Int)
  private var schedule: CopySchedule
  private var pace = CopyPace()
  private var piece: StepSize
  /// Pages written since the last piece.
  private var waiting = 0

  /// - Parameters:
  ///   - path: the path of the copy.
  ///   - descriptor: the copy's file, kept open by the caller.
  ///   - log: the path of the store's write-ahead log.
  ///   - check: throws if the copy is to be given up; it is given the bytes by which the log has grown.
  init(
    to path: String, _ descriptor: CInt, log: String, _ limits: StoreLimits, _ commits: SlowestCommit,
    while check: @escaping (_ grown: Int) throws -> Void
  ) {
    self.path = path
    self.descriptor = descriptor
    self.log = log
    self.limits = limits
    self.commits = commits
    self.check = check
    logSize = Self.size(of: log)
    turn = (start, logSize)
    schedule = Self.schedule(limits, waited: .zero)
    piece = StepSize(first: Self.minPiece, max: Self.maxPiece, target: Self.pieceDuration, allowsForOverhead: false)
  }

  /// Pages of a piece: a commit waits for at most one piece, and each piece costs the disk a flush.
  private static let (minPiece, maxPiece) = (64, 1024)
  /// How long the disk is to take for a piece.
  private static let pieceDuration = Duration.milliseconds(10)

  /// The schedule for the time that is left. Half of the time is for the check of the copy, and for what a backup contains besides stores.
  private static func schedule(_ limits: StoreLimits, waited: Duration) -> CopySchedule {
    CopySchedule(duration: max(limits.copyDuration / 2 - waited, .milliseconds(1)), logBytes: limits.copyLogBytes)
  }

  /// By how many bytes the log has grown since it had that size.
  private func grown(since size: Int) -> Int { max(0, Self.size(of: log) - size) }

  /// Notes that the copying begins.
  func begin() {
    let now = ContinuousClock.now
    turn = (now, Self.size(of: log))
    schedule = Self.schedule(limits, waited: now - start)
    _ = commits.take()
  }

  /// Throws if the copy has to be given up.
  func checkSnapshot() throws {
    let grown = grown(since: logSize)
    try check(grown)
    guard ContinuousClock.now - start < limits.copyDuration, grown <= limits.maxCopyLogBytes else { throw BackupFailure.tooLong }
  }

  /// Counts written pages. Once they make up a piece, brings it to the disk and pauses.
  ///
  /// - Parameters:
  ///   - pages: how many were written since the last call.
  ///   - done: the share of all pages that is written.
  func wrote(_ pages: Int, done: Double) throws {
    try checkSnapshot()
    waiting += pages
    guard waiting >= max(piece.count, Self.minPiece) else { return }
    waiting = 0
    let begin = ContinuousClock.now
    try flush()
    let now = ContinuousClock.now
    piece.took(now - begin)
    let isBehind = schedule.isBehind(done: done, elapsed: now - turn.start, grown: grown(since: turn.logSize))
    pauseThread(pace.pause(after: now - begin, slowestCommit: commits.take(), isBehind: isBehind))
  }

  private func flush() throws {
    #if canImport(Glibc)
      guard fdatasync(descriptor) == 0 else { throw StoreFailure.file(path: path, errno: errno) }
    #else
      guard fsync(descriptor) == 0 else { throw StoreFailure.file(path: path, errno: errno) }
    #endif
    leaveMemory()
  }

  /// Lets the system drop from memory what it holds of the file, as far as it is on the disk.
  func leaveMemory() {
    #if canImport(Glibc)
      // This is advice that the system may ignore.
      _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    #endif
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    // A missing log has not grown.
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
