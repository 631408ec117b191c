import ActivityContract
import GRDB
import Operations
import ServiceKit
import ServiceLifecycle
import Storage
import Synchronization

/// Reads waiting imports, a few at the same time: see ``ImportSlots``.
struct ImportWorker: Service {
  let store: Store
  let spool: ImportSpool
  let calendars: AccountCalendars
  let rules: FairnessRules
  let signal: WakeSignal
  let pulse: Pulse

  func run() async throws { try await cancelWhenGracefulShutdown { try await work() } }

  private func work() async throws {
    let processor = ImportProcessor(pulse)
    // The readings never throw, since that would cancel the wait for the signal; the processor throws a reading's failure instead.
    try await withThrowingDiscardingTaskGroup { readings in
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
            signal.send()
          }
        }
      } while await signal.wait()
    }
  }

  private func next(beside slots: ImportSlots) async throws -> ImportRun? {
    let row = try await store.read { try ImportStore.next(beside: slots, in: $0) }
    return row.flatMap { ImportRun($0, store, spool, calendars, rules) }
  }

  private func read(_ run: ImportRun, _ processor: ImportProcessor) async throws {
    do {
      try await run.run { processor.beat(run.row) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      // The schema would refuse it again.
      try await store.write { try ImportStore.end(run.row.id, .failed, $0, because: .damaged) }
    } catch let failure as Failure where failure.retryAfterSeconds == nil {
      // The rules would refuse it again.
      try await store.write { try ImportStore.end(run.row.id, .failed, $0, because: .damaged) }
    }
  }
}

/// The imports being read, and the last failure of a reading.
private final class ImportProcessor: Sendable {
  private struct State {
    var slots = ImportSlots()
    /// The deadline for each reading's next heartbeat.
    var due: [ImportID: ContinuousClock.Instant] = [:]
    var fault: (any Error)?
  }

  /// No batch takes nearly as long, nor does the scan of a file before it is read.
  private static let longestBatch = Duration.seconds(60)

  private let state = Mutex(State())
  private let pulse: Pulse

  init(_ pulse: Pulse) { self.pulse = pulse }

  /// - Throws: the error that unexpectedly ended a reading.
  func slots() throws -> ImportSlots {
    try state.withLock { state in
      if let fault = state.fault { throw fault }
      return state.slots
    }
  }

  func begin(_ row: ImportRow) { state.withLock { $0.slots.begin(row) } }

  /// Records a heartbeat of a reading.
  ///
  /// - Returns: how many records the reading may apply at a time at most.
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

  /// The service is healthy as long as each of its readings is.
  private func promise(_ due: [ImportID: ContinuousClock.Instant]) {
    if let first = due.values.min() { pulse.promise(within: first - ContinuousClock.now) } else { pulse.rest() }
  }
}
