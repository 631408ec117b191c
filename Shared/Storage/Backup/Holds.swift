import Dispatch
import GRDB
public import Operations
import Synchronization

/// The type tag of hold ids.
public enum HoldMark {}

/// One hold of a store's writes.
public typealias HoldID = ID<HoldMark>

/// The hold of a store's writes, one at a time, from the request until its snapshot is copied or given up.
///
/// A hold occupies the writing connection's thread between two commits, and begins to read on a connection of its own. What that connection
/// sees stays the same, whatever is written later.
final class Holds: Sendable {
  final class Hold: Sendable {
    let id = HoldID()
    let snapshot: DatabaseQueue
    /// When the writes resume by themselves, even if the hold has not begun.
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
    /// The writes have resumed; the hold's snapshot is still read.
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
      // After the running commit, before the next one.
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

  /// Releases the writes. The hold's snapshot stays until ``end(_:)``.
  ///
  /// - Returns: the hold, and how long it held.
  /// - Throws: ``BackupFailure/holdEnded`` if the writes have already resumed.
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

  /// Ends the hold, if there is one, and refuses further holds.
  func close() {
    let held = state.withLock { state -> Hold? in
      state.isClosed = true
      guard case .held(let hold, _) = state.phase else { return nil }
      return hold
    }
    held?.released.signal()
  }

  /// Throws once the store is closed: no caller waits for a copy any more.
  func checkOpen() throws {
    guard !state.withLock({ $0.isClosed }) else { throw Failure.closed }
  }

  /// On the writing thread: begins to read the state that the last commit left.
  private func take(_ hold: Hold) throws {
    // The caller counts from its request: the other stores of the same backup hold their writes meanwhile.
    guard ContinuousClock.now < hold.end else { throw BackupFailure.holdEnded }
    try hold.snapshot.writeWithoutTransaction { database in
      try database.run("BEGIN DEFERRED TRANSACTION")
      // The first read determines what the transaction sees.
      try database.run("SELECT id FROM store_states")
    }
    try state.withLock { state in
      guard !state.isClosed else { throw Failure.closed }
      state.phase = .held(hold, since: .now)
    }
  }

  /// On the writing thread, which does nothing else meanwhile: waits until the hold is released or its time is over.
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
      // The connection is closed with the last reference to it.
    }
  }
}
