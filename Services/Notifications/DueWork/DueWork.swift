import GRDB
import Operations
import ServiceKit
import Storage

/// Work that stands in the store with the time at which it is due, such as what quiet hours hold, and what accounts are told once a day or week.
/// ``DueWorker`` lets it be done.
protocol DueWork: Sendable {
  /// Does some of what is due. What was done is noted in the transaction that lets it take effect, so that whatever ends in between, nothing is done
  /// twice and nothing is left out.
  ///
  /// - Parameter pulse: told where a part takes long.
  /// - Returns: whether there may be more.
  /// - Throws: what the store does; `overloaded` is tried again.
  func doSome(_ store: Store, _ pulse: Pulse) async throws -> Bool

  /// When the next is due; nil where nothing waits.
  func nextDue(in database: Database) throws -> Instant?
}
