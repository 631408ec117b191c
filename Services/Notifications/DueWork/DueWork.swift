import GRDB
import Operations
import ServiceKit
import Storage

/// Stored work with a due time, such as deliveries held by quiet hours, and the daily and weekly notices. ``DueWorker`` runs it.
protocol DueWork: Sendable {
  /// Does some of the due work. Its completion is noted in the transaction of its effect, so that after any crash nothing is done twice or
  /// left out.
  ///
  /// - Parameter pulse: notified where a part takes long.
  /// - Returns: whether there may be more.
  /// - Throws: the store's failures; `overloaded` is retried.
  func doSome(_ store: Store, _ pulse: Pulse) async throws -> Bool

  /// When the next work is due; nil where there is none.
  func nextDue(in database: Database) throws -> Instant?
}
