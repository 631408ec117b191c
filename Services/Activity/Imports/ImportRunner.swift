import ActivityContract
import GRDB
import Operations
import ServiceKit
import ServiceLifecycle
import Storage
import Synchronization

/// Lets somebody look for what is to be done; several calls before it looks are one.
final class ImportSignal: Sendable {
  let rings: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation

  init() { (rings, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func callAsFunction() { ring.yield() }
}

/// Reads the imports that wait, a few at the same time: see ``ImportSlots``.
struct ImportRunner: Service {
  let store: Store
  let spool: ImportSpool
  let calendars: AccountCalendars
  let rules: FairnessRules
  let signal: ImportSignal
  let pulse: Pulse

  func run() async throws { try await cancelWhenGracefulShutdown { try await work() } }

  private func work() async throws {
    let processor = ImportProcessor(pulse)
    // The readings throw nothing, since that would cancel the wait for the bell, and with it the bell: what befell one is thrown by
    // the processor.
    try await withThrowingDiscardingTaskGroup { readings in
      var rings = signal.rings.makeAsyncIterator()
      repeat {
        while let run = try await next(beside: try processor.slots()) {
          processor.begin(run.row)
          readings.addTask {
            do {
              try await read(run, processor)
              processor.end(run.row)
            } catch {
              processor.end(run.row, error)
            }
            signal()
          }
        }
      } while await rings.next() != nil
    }
  }

  private func next(beside slots: ImportSlots) async throws -> ImportRun? {
    let row = try await store.read { try Imports.next(beside: slots, in: $0) }
    return row.flatMap { ImportRun($0, store, spool, calendars, rules) }
  }

  private func read(_ run: ImportRun, _ processor: ImportProcessor) async throws {
    do {
      try await run.run { processor.beat(run.row) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      // What the schema refuses it would refuse again.
      try await store.write { try Imports.end(run.row.id, .failed, $0, because: .damaged) }
    } catch let failure as Failure where failure.retryAfterSeconds == nil {
      // Neither would a rule change its mind.
      try await store.write { try Imports.end(run.row.id, .failed, $0, because: .damaged) }
    }
  }
}

/// What is being read at the moment, and what befell the last of it.
private final class ImportProcessor: Sendable {
  private struct State {
    var slots = ImportSlots()
    /// When each reading is to beat again at the latest.
    var due: [ImportID: ContinuousClock.Instant] = [:]
    var fault: (any Error)?
  }

  /// No batch takes nearly as long, nor does looking through a file before it is read.
  private static let longestBatch = Duration.seconds(60)

  private let state = Mutex(State())
  private let pulse: Pulse

  init(_ pulse: Pulse) { self.pulse = pulse }

  /// - Throws: what ended a reading that was not to end so.
  func slots() throws -> ImportSlots {
    try state.withLock { state in
      if let fault = state.fault { throw fault }
      return state.slots
    }
  }

  func begin(_ row: ImportRow) { state.withLock { $0.slots.begin(row) } }

  /// Notes that a reading is well.
  ///
  /// - Returns: its share of the records that may take effect at a time.
  func beat(_ row: ImportRow) -> Int {
    state.withLock { state in
      state.due[row.id] = ContinuousClock.now + Self.longestBatch
      promise(state.due)
      return ImportLimits.batch / max(1, state.slots.count)
    }
  }

  func end(_ row: ImportRow, _ fault: (any Error)? = nil) {
    state.withLock { state in
      state.slots.end(row)
      state.due[row.id] = nil
      state.fault = state.fault ?? fault
      promise(state.due)
    }
  }

  /// The service is well as long as each of its readings is.
  private func promise(_ due: [ImportID: ContinuousClock.Instant]) {
    if let first = due.values.min() { pulse.promise(within: first - ContinuousClock.now) } else { pulse.rest() }
  }
}

/// Ends the imports that have not come on, and removes files that belong to none.
struct ImportHousekeeping: Service {
  let store: Store
  let spool: ImportSpool

  private static let interval = Duration.seconds(600)

  func run() async throws { try await repeating(every: Self.interval) { try await keep() } }

  func keep() async throws {
    var idle = try await store.write { try Imports.expire($0) }
    while !idle.isEmpty {
      for row in idle { try await spool.remove(row.id, of: row.account) }
      idle = try await store.write { try Imports.expire($0) }
    }
    // Files first: an import that is made meanwhile is then among the unfinished.
    let files = try await spool.all()
    let unfinished = try await store.read { try Imports.unfinished(in: $0) }
    for file in files where !unfinished.contains(file.id) { try await spool.remove(file.id, of: file.account) }
  }
}

/// Removes the files of imports that were ended without their owners' asking, as soon as it is rung for: a withdrawn consent leaves nothing
/// lying about.
struct ImportSweeping: Service {
  let housekeeping: ImportHousekeeping
  let signal: ImportSignal

  func run() async throws {
    try await cancelWhenGracefulShutdown { for await _ in signal.rings { try await housekeeping.keep() } }
  }
}
