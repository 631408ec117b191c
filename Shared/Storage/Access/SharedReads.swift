import GRDB
import Metrics
import Operations

/// A waiting read.
struct Read: Sendable {
  /// Reads and delivers the result.
  let perform: @Sendable (Database) throws -> Void
  let fail: @Sendable (any Error) -> Void
}

/// Answers many reads from one state of the file: beginning and ending a read transaction costs more than most reads.
struct SharedReads: Sendable {
  let metrics: StoreMetrics
  let onFatal: Store.FatalError

  func answer(_ reads: [Read], from database: Database) {
    metrics.readsPerAccess.record(reads.count)
    do {
      try database.run("BEGIN DEFERRED TRANSACTION")
    } catch {
      endIfFatal(error)
      for read in reads { read.fail(error) }
      return
    }
    for read in reads {
      do {
        try read.perform(database)
      } catch {
        endIfFatal(error)
        read.fail(error)
      }
    }
    do {
      // An error may have ended the transaction already.
      if database.isInsideTransaction { try database.run("COMMIT TRANSACTION") }
    } catch {
      onFatal("a read transaction does not end: \(error)")
    }
  }

  /// The same for a read that does not wait in the queue.
  func lookUp<T>(_ database: Database, _ body: (Database) throws -> T) throws -> T {
    do {
      try database.run("BEGIN DEFERRED TRANSACTION")
      let found = Result { try body(database) }
      if database.isInsideTransaction { try database.run("COMMIT TRANSACTION") }
      return try found.get()
    } catch {
      endIfFatal(error)
      throw error
    }
  }

  private func endIfFatal(_ error: any Error) {
    if let reason = fatalReason(error) { onFatal(reason) }
  }
}

/// Why the error means that the file can no longer be trusted; nil for other errors.
func fatalReason(_ error: any Error) -> String? {
  guard let error = error as? DatabaseError else { return nil }
  switch error.resultCode {
  case .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CANTOPEN:
    // Without the statement and its arguments, which may hold personal data.
    return "SQLite error \(error.extendedResultCode.rawValue): \(error.message ?? "")"
  default: return nil
  }
}
