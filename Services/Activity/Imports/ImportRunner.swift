import ActivityContract
import GRDB
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Lets the runner look for what is to be read; several calls before it looks are one.
final class ImportBell: Sendable {
  let rings: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation

  init() { (rings, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func callAsFunction() { ring.yield() }
}

/// Reads the imports that wait, one after the other.
struct ImportRunner: Service {
  let store: Store
  let spool: ImportSpool
  let calendars: AccountCalendars
  let rules: FairnessRules
  let bell: ImportBell
  let pulse: Pulse

  /// No batch takes nearly as long, nor does looking through a file before it is read.
  private static let longestBatch = Duration.seconds(60)

  func run() async throws { try await cancelWhenGracefulShutdown { try await work() } }

  private func work() async throws {
    var rings = bell.rings.makeAsyncIterator()
    while true {
      try await readAll()
      pulse.rest()
      guard await rings.next() != nil else { return }
    }
  }

  /// Reads until none waits.
  func readAll() async throws {
    while let row = try await store.read({ try Imports.next(in: $0) }) {
      guard let run = ImportRun(row, store, spool, calendars, rules) else { return }
      do {
        try await run.run { pulse.promise(within: Self.longestBatch) }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        // What the schema refuses it would refuse again, and the others wait behind it.
        try await store.write { try Imports.end(row.id, .failed, $0, because: .damaged) }
      } catch is Failure {
        // Neither would a rule change its mind.
        try await store.write { try Imports.end(row.id, .failed, $0, because: .damaged) }
      }
    }
  }
}

/// Ends the imports that have not come on, and removes files that belong to none.
struct ImportHousekeeping: Service {
  let store: Store
  let spool: ImportSpool

  private static let interval = Duration.seconds(600)

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while true {
        try await keep()
        try await Task.sleep(for: Self.interval)
      }
    }
  }

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
