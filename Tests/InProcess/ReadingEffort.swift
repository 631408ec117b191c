import Foundation
public import GRDB
import GRDBSQLite
public import Storage

/// What a store does for one reading.
public struct ReadingEffort: Sendable {
  /// The shortest of some tries, of the processor.
  public var milliseconds = Double.infinity
  /// How many tens of steps SQLite's machine takes.
  public var steps = 0

  public init(milliseconds: Double = .infinity) { self.milliseconds = milliseconds }
}

/// What this thread has had of the processor, so that what else the machine does is left out.
public func threadProcessorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

extension Store {
  /// Measures a reading.
  public func effort(_ body: @escaping @Sendable (Database) throws -> Void) async throws -> ReadingEffort {
    try await read { database in
      var effort = ReadingEffort()
      for _ in 0..<5 {
        let start = threadProcessorTime()
        try body(database)
        effort.milliseconds = min(effort.milliseconds, (threadProcessorTime() - start) / .milliseconds(1))
      }
      try withUnsafeMutablePointer(to: &effort.steps) { steps in
        sqlite3_progress_handler(
          database.sqliteConnection, 10,
          { steps in
            steps?.assumingMemoryBound(to: Int.self).pointee += 1
            return 0
          }, steps)
        defer { sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
        try body(database)
      }
      return effort
    }
  }
}
