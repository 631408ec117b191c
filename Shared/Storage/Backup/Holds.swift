import Dispatch
import GRDB
public import Operations
import Synchronization

/// What hold ids are of.
public enum HoldMark {}

/// One hold of a store's writes.
public typealias HoldID = ID<HoldMark>

/// The hold of a store's writes, one at a time, from when it is asked for until what it held is copied or given up.
///
/// It takes the writing connection's thread between two commits, and begins to read on a connection of its own: what that one sees
/// stays the same, whatever is written later.
final class Holds: Sendable {
  final class Hold: Sendable {
    let id = HoldID()
    let snapshot: DatabaseQueue
    /// When the writes go on by themselves, even if it has not begun.
    let end: ContinuousClock.Instant
    let released = DispatchSemaphore(value: 0)

    init(_ snapshot: DatabaseQueue, lasting duration: Duration) {
      self.snapshot = snapshot
      end = .now + duration
    }
  }

  private enum Phase {
    case free
    case asked(Hold)
    case held(Hold, since: ContinuousClock.Instant)
    /// The writes go on, its snapshot is still read.
    case copying(Hold)
  }

  private struct State {
    var phase = Phase.free
    var isClosed = false
  }

  private let snapshot: @Sendable () throws -> DatabaseQueue
  private let writer: DatabaseQueue
  private let longest: Duration
  private let state = Mutex(State())

  /// - Parameter snapshot: makes the connection that reads.
  init(_ snapshot: @escaping @Sendable () throws -> DatabaseQueue, writer: DatabaseQueue, longest: Duration) {
    self.snapshot = snapshot
    self.writer = writer
    self.longest = longest
  }

  /// Returns when the writes are held.
  func begin() async throws -> HoldID {
    let hold = Hold(try snapshot(), lasting: longest)
    try state.withLock { state in
      guard !state.isClosed else { throw Failure.closed }
      guard case .free = state.phase else { throw BackupFailure.underWay }
      state.phase = .asked(hold)
    }
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      // Behind the commit that runs now, before the next.
      writer.asyncWriteWithoutTransaction { [self] _ in
        do {
          try take(hold)
        } catch {
          end(hold)
          continuation.resume(throwing: error)
          return
        }
        continuation.resume()
        keep(hold)
      }
    }
    return hold.id
  }

  /// Lets the writes go on. The hold's snapshot stays until ``end(_:)``.
  ///
  /// - Returns: the hold, and how long it held.
  /// - Throws: ``BackupFailure/holdEnded`` if they went on before.
  func release(_ id: HoldID) throws -> (hold: Hold, duration: Duration) {
    let held = try state.withLock { state in
      guard case .held(let hold, let since) = state.phase, hold.id == id else { throw BackupFailure.holdEnded }
      state.phase = .copying(hold)
      return (hold: hold, duration: ContinuousClock.now - since)
    }
    held.hold.released.signal()
    return held
  }

  /// Gives the snapshot up; another hold may begin.
  func end(_ hold: Hold) {
    forget(hold.snapshot)
    state.withLock { $0.phase = .free }
  }

  /// Ends the hold, if there is one, and refuses others.
  func close() {
    let held = state.withLock { state -> Hold? in
      state.isClosed = true
      guard case .held(let hold, _) = state.phase else { return nil }
      return hold
    }
    held?.released.signal()
  }

  /// Throws if nobody waits for a copy any more.
  func checkOpen() throws {
    guard !state.withLock({ $0.isClosed }) else { throw Failure.closed }
  }

  /// On the writing thread: begins to read what the last commit left.
  private func take(_ hold: Hold) throws {
    // Whoever asked counts from then: those who wait with it hold their writes meanwhile.
    guard ContinuousClock.now < hold.end else { throw BackupFailure.holdEnded }
    try hold.snapshot.writeWithoutTransaction { database in
      try database.run("BEGIN DEFERRED TRANSACTION")
      // The first look decides what the transaction sees.
      try database.run("SELECT id FROM store_states")
    }
    try state.withLock { state in
      guard !state.isClosed else { throw Failure.closed }
      state.phase = .held(hold, since: .now)
    }
  }

  /// On the writing thread, which nothing else has meanwhile: waits until the hold is released, or over.
  private func keep(_ hold: Hold) {
    _ = hold.released.wait(timeout: .now() + .nanoseconds(Int(max(.zero, hold.end - .now).nanoseconds)))
    let isOver = state.withLock { state in
      guard case .held = state.phase else { return false }
      state.phase = .free
      return true
    }
    if isOver { forget(hold.snapshot) }
  }

  private func forget(_ snapshot: DatabaseQueue) {
    do {
      try snapshot.close()
    } catch {
      // It is closed with the last reference to it.
    }
  }
}
