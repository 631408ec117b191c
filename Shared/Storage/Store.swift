import Foundation
public import GRDB
public import Logging
public import Operations
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The data of one service: an SQLite file that only this process writes.
///
/// Many waiting writes are committed together, and many waiting reads share one transaction. A write returns when it is durable.
///
///     let store = try Store(path: path, service: .social, migrations: [
///       Migration(1, "friend requests") { try $0.execute(sql: "CREATE TABLE friend_requests (…) STRICT") }
///     ], secret: secret, clock: .system, logger: logger)
///     try await store.write { transaction in
///       try transaction.database.execute(sql: "INSERT INTO friend_requests …")
///       try transaction.publish(FriendRequestSent(…))
///     }
///
/// A disk error or a damaged file ends the process: what is in memory can no longer be trusted to match the file, and a fresh start reads
/// what is there. A full or read-only disk does not: reading continues, and writes are refused until the disk takes them, see ``problem``.
public final class Store: Sendable {
  /// A page of the service's state as events, for subscribers without history. Takes the event names (nil: all) and the key to continue
  /// after (nil: from the beginning). Returns the events and the key of the last one, or nil after the last page.
  ///
  /// Events with other names may be among them, and are left out. Their state must only ever be published whole, so that publishing it
  /// twice does no harm.
  public typealias Snapshot = @Sendable (Database, Set<String>?, String?) throws -> (events: [any Event], nextKey: String?)

  /// Called when the file can no longer be trusted, with the reason. Does not return, except in tests.
  public typealias FatalError = @Sendable (String) -> Void

  public let service: ServiceName
  public let path: String
  let epoch: Epoch
  let snapshot: Snapshot?
  let clock: Clock
  let limits: StoreLimits
  let idempotency: Idempotency
  let holds: Holds
  let connections: Connections
  let space: WriteSpace
  let slowestCommit: SlowestCommit
  /// Whether the store was opened for reading only because its disk took no writes. It stays so until it is opened again.
  public let isReadOnly: Bool
  private let isClosed = Atomic(false)
  private let fatal: FatalError
  let logger: Logger
  private let lookUps: DatabaseQueue
  private let sharedReads: SharedReads
  private let reads: JobQueue<Read>
  private let writes: JobQueue<Write>
  private let relay: Relay
  private let signals: CommitSignals

  /// Opens the file, creating it if there is none, and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - secret: at least 32 bytes, kept outside the store: the key for the payload hashes and replies that
  ///     ``write(idempotency:traceparent:usingReserve:_:)`` records. With another secret, retries of earlier requests are refused.
  ///   - snapshot: the state as events; nil if there is none to publish, so that the outbox is never pruned.
  ///   - onFatal: called instead of ending the process.
  /// - Throws: ``StoreFailure``, or GRDB's `DatabaseError`.
  public init(
    path: String, service: ServiceName, migrations: [Migration], secret: [UInt8], snapshot: Snapshot? = nil,
    limits: StoreLimits = StoreLimits(), clock: Clock = .system, logger: Logger, onFatal: @escaping FatalError = endProcess
  ) throws {
    let idempotency = try Idempotency(secret: secret, limits: limits)
    let opened = try Connections.open(path, readers: limits.readers, migrations, of: service, at: clock.now) { migration in
      logger.notice("migrating the store", metadata: ["store": .string(path), "migration": .string(migration)])
    }
    let (connections, epoch) = (opened.connections, opened.epoch)
    try connections.writer.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA cache_size = -\(limits.writerCacheKilobytes)")
    }
    let relay = Relay()
    let signals = CommitSignals()
    let metrics = StoreMetrics()
    let fatal: FatalError = { reason in
      logger.critical("the store can no longer be trusted", metadata: ["store": .string(path), "reason": .string(reason)])
      onFatal(reason)
    }
    let sharedReads = SharedReads(metrics: metrics, onFatal: fatal)
    let reserve = opened.problem == nil ? try WriteReserve(of: path, bytes: limits.reservedBytes) : nil
    let space = WriteSpace(reserve, lasting: opened.problem, metrics: metrics) { problem in
      guard let problem else { return logger.notice("the store can be written again", metadata: ["store": .string(path)]) }
      logger.error(
        "the store cannot be written: writes are refused, reads continue",
        metadata: ["store": .string(path), "reason": .string(problem.failure.code)])
    }
    let slowestCommit = SlowestCommit()
    let commits = GroupCommit(
      service: service, clock: clock, epoch: epoch.name, publish: relay.publish, metrics: metrics, space: space, onFatal: fatal,
      slowest: slowestCommit, committed: signals.signal)
    self.service = service
    self.path = path
    self.epoch = epoch
    self.snapshot = snapshot
    self.clock = clock
    self.limits = limits
    self.idempotency = idempotency
    self.connections = connections
    self.space = space
    self.slowestCommit = slowestCommit
    isReadOnly = opened.problem != nil
    self.fatal = fatal
    self.logger = logger
    self.relay = relay
    self.signals = signals
    self.sharedReads = sharedReads
    lookUps = connections.lookUps
    holds = Holds(connections.snapshot, writer: connections.writer, longest: limits.writesHeld)
    reads = JobQueue(
      connections.readers, capacity: limits.waitingReads, batch: limits.readsPerAccess, depth: metrics.waitingReads,
      work: sharedReads.answer)
    writes = JobQueue(
      [connections.writer], capacity: limits.waitingWrites, batch: limits.writesPerCommit,
      gathering: .init(minimum: limits.gatheringWriters, patience: limits.gatheringPatience), depth: metrics.waitingWrites,
      owner: { $0.largeOwner }, work: commits.commit)
    space.keepReserve()
  }

  /// Reads one consistent state that includes every write that has returned. Other reads share the transaction.
  ///
  /// The body must be brief: other reads wait for it. Cancelling the task does not stop it.
  /// - Throws: what the body throws; ``Failure`` `overloaded` when too many are waiting, `unavailable` once closed.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      let read = Read(
        perform: { continuation.resume(returning: try body($0)) },
        fail: { continuation.resume(throwing: $0) })
      do {
        try reads.submit(read)
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Looks up a few rows by their keys, at once and on the caller's thread, in one consistent state that includes every write that has
  /// returned. Use ``read(_:)`` for anything longer: others wait for the thread as well as for the connection.
  ///
  /// - Throws: what the body throws; ``Failure`` `unavailable` once closed.
  public func lookUp<T>(_ body: (Database) throws -> T) throws -> T {
    guard !isClosed.load(ordering: .relaxed) else { throw Failure.closed }
    do {
      return try lookUps.writeWithoutTransaction { try sharedReads.lookUp($0, body) }
    } catch is DatabaseError where isClosed.load(ordering: .relaxed) {
      throw Failure.closed
    }
  }

  /// Writes in one transaction and returns when it is durable. If the body throws, none of its changes remain.
  ///
  /// The body must be brief: all other writes wait for it. Cancelling the task does not stop it.
  /// - Parameters:
  ///   - traceparent: W3C trace context, passed on by the events published.
  ///   - usesReserve: whether to write even if the disk is full, as long as the room reserved for that lasts
  ///     (``StoreLimits/reservedBytes``).
  ///   - owner: the owner of a write with so many changes that others should not wait for several of them: it gets a commit of its own, and
  ///     the large writes of several owners take turns. Nil for most.
  /// - Throws: what the body throws; ``Failure`` `overloaded` when too many are waiting, `unavailable` once closed, `storage_full` or
  ///   `storage_read_only` where the disk does not take it.
  public func write<T: Sendable>(
    traceparent: String? = nil, usingReserve usesReserve: Bool = false, largeOf owner: String? = nil,
    _ body: @escaping @Sendable (Transaction) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      let write = Write(
        traceparent: traceparent, usesReserve: usesReserve, largeOwner: owner,
        perform: { transaction in
          let value = try body(transaction)
          return { continuation.resume(returning: value) }
        },
        fail: { continuation.resume(throwing: $0) })
      do {
        try writes.submit(write)
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// How many reads and writes wait for those that run.
  public var waitingReads: Int { reads.waiting }
  public var waitingWrites: Int { writes.waiting }

  /// Calls the closure after each commit that published events, on the committing thread. Set once, before writing.
  public func relay(to publish: @escaping @Sendable (PublishedEvents) -> Void) { relay.set(publish) }

  /// Yields a signal after each commit from now on, whatever was written. Signals that are not consumed yet are merged into one.
  public func commits() -> AsyncStream<Void> { signals.stream() }

  /// Why writes are refused at the moment; nil if they are not. Set when a write is refused, and cleared when one is durable.
  public var problem: StorageProblem? { space.problem }

  /// Throws if the store was opened for reading only.
  func requireWritable() throws(Failure) {
    if isReadOnly, let problem { throw problem.failure }
  }

  /// Checks whether the disk takes writes again, if it did not.
  ///
  /// - Returns: whether it does; a store that was opened for reading only can then be opened again.
  /// - Throws: as ``write(traceparent:usingReserve:_:)``.
  public func isWritableAgain() async throws -> Bool {
    guard problem != nil else { return true }
    if isReadOnly { return StorageProblem.found(beside: path, bytes: limits.reservedBytes) == nil }
    do {
      try await write { try $0.database.run("UPDATE store_states SET opened_at = opened_at") }
      return true
    } catch let failure as Failure where failure.isOfStorage {
      return false
    }
  }

  /// Does periodic maintenance: deletes old idempotency records, prunes the outbox, and truncates the write-ahead log.
  ///
  /// - Parameter willStep: called before each step of that work.
  public func housekeep(willStep: () -> Void = {}) async throws {
    try await purgeIdempotencyRecords(willStep: willStep)
    try await log.prune(willStep: willStep)
    willStep()
    do {
      // If the disk is nearly full, the log keeps its room, and with it the reserve.
      guard space.mayCutLog else { return try await connections.checkpoint() }
      defer { space.keepReserve() }
      try await connections.truncateLog()
    } catch {
      throw published(error)
    }
  }

  /// Returns the error, after ending the process if the error means that the file cannot be trusted.
  func published(_ error: any Error) -> any Error {
    if let reason = fatalReason(error) { fatal(reason) }
    return error
  }

  /// Ends a hold, finishes the waiting reads and writes, refuses new ones, checkpoints the write-ahead log and closes the file. A second
  /// call does nothing.
  public func close() async {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    holds.close()
    await writes.close()
    await reads.close()
    do {
      try await connections.close()
    } catch {
      // Nothing is lost: what is durable in the write-ahead log is there at the next start.
      logger.error("the store did not close cleanly", metadata: ["store": .string(path), "error": "\(error)"])
    }
  }

  /// Ends the process at once, with the exit status of an input or output error (`EX_IOERR` of sysexits.h).
  public static let endProcess: FatalError = { _ in _exit(74) }
}

/// The receiver of published events.
private final class Relay: Sendable {
  /// Wrapped: taken out of a generic box bare, a function gets one more layer of conversion each time.
  private struct Receiver {
    let publish: @Sendable (PublishedEvents) -> Void
  }

  private let receiver = Mutex<Receiver?>(nil)

  func set(_ publish: @escaping @Sendable (PublishedEvents) -> Void) { receiver.withLock { $0 = Receiver(publish: publish) } }
  func publish(_ published: PublishedEvents) { receiver.withLock { $0 }?.publish(published) }
}

/// Bounds of a ``Store``.
public struct StoreLimits: Sendable {
  /// Connections that read at the same time.
  public var readers = 2
  /// How much of the file the writing connection keeps in memory. Changes of a transaction beyond that go to the log before the commit, and
  /// twice if they change again.
  public var writerCacheKilobytes = 2_000
  /// Reads that may wait; further ones get `overloaded`.
  public var waitingReads = 10_000
  /// The largest number of reads that share one transaction.
  public var readsPerAccess = 256
  /// Writes that may wait; further ones get `overloaded`.
  public var waitingWrites = 10_000
  /// The largest number of writes that share one commit.
  public var writesPerCommit = 1_000
  /// After a commit of at least this many writes the next one waits for half of the active callers, but no longer than
  /// ``gatheringPatience``: a commit costs the disk and all subscribers the same for one write and for fifty.
  public var gatheringWriters = 8
  public var gatheringPatience = Duration.milliseconds(3)
  /// How long a retry is answered with the first reply.
  public var idempotencySeconds = 7 * 86_400
  /// How many bytes of records are kept for one account, or for one address without sign-in. Beyond that, requests with a new key get
  /// `idempotency_allowance_exceeded`; those without a key or with a known one are served as before.
  public var idempotencyBytes = 32 << 20
  /// Newest events that are never pruned.
  public var eventsKept = 10_000
  /// How many events are read for one answer to a subscriber, whatever their names, so that it need not wait long.
  public var eventsRead = 20_000
  /// Disk space reserved for writes that are accepted even on a full disk, as each login is. The write-ahead log itself takes some 4 MiB;
  /// growing beyond 16 MiB requires another file to grow, too.
  public var reservedBytes = 8 << 20
  /// The largest number of rows that housekeeping deletes in one transaction.
  public var rowsPerPurge = 500
  /// The sizes of housekeeping's deletion steps.
  var stepsOfPurge: StepLimits { StepLimits(first: 50, max: rowsPerPurge) }
  /// How long writes are held for a copy at most, from the request on; then they resume and the copy fails.
  public var writesHeld = Duration.seconds(5)
  /// How long a copy may read its snapshot before it fails. Meanwhile the write-ahead log grows by all that is written. A copy that would
  /// need more than half of that time stops pausing for other writes.
  public var copyDuration = Duration.seconds(3600)
  /// By how much the write-ahead log may grow during a copy before the copy stops pausing: the whole log is checkpointed at once when the
  /// copy ends, and writes wait for that.
  public var copyLogBytes = 64 << 20
  /// By how much the log may grow before the copy is given up.
  public var maxCopyLogBytes = 4 << 30
  /// The largest copy that is checked with SQLite's `integrity_check`. A larger one is checked with `quick_check`, which goes through the
  /// file once, and checks neither indexes against their tables nor uniqueness.
  public var maxFullCheckBytes = min(2 << 30, Int(ProcessInfo.processInfo.physicalMemory / 8))
  /// Pages of 4 KiB, written by an earlier version, that are scrubbed in one step at most.
  public var pagesPerScrub = 256
  /// Pages of 4 KiB that a copy takes at a time; after each step it checks whether to continue.
  public var pagesPerCopyStep = 64

  public init() {}
}
