import GRDB
import GRDBSQLite
import Metrics
import Operations

/// A waiting write.
struct Write: Sendable {
  let traceparent: String?
  /// Whether the write is tried when the disk has no room but the reserve.
  var usesReserve = false
  /// The owner of a large write, which gets a transaction of its own; nil for other writes. SQLite copies each page changed within a
  /// savepoint, and goes through all of those copies at the end of each statement that may be undone.
  var largeOwner: String?
  /// Performs the write and returns a closure that delivers the result, to be called once the write is durable.
  let perform: @Sendable (Transaction) throws -> @Sendable () -> Void
  let fail: @Sendable (any Error) -> Void
}

/// Commits many writes in one transaction, each in a savepoint, so that a failing write leaves the others intact. A single write needs no
/// savepoint.
///
/// No caller is answered before the commit, not even with a failure: the failure may depend on another write of the same commit.
struct GroupCommit: Sendable {
  let service: ServiceName
  let clock: Clock
  /// The epoch of the outbox.
  let epoch: String
  /// Called after each commit that published events.
  let publish: @Sendable (PublishedEvents) -> Void
  let metrics: StoreMetrics
  let space: WriteSpace
  let onFatal: Store.FatalError
  var slowest = SlowestCommit()
  /// Called after each commit.
  var committed: @Sendable () -> Void = {}

  func commit(_ writes: [Write], to database: Database) {
    var rest = space.admit(writes)[...]
    while let first = rest.first {
      let together = first.largeOwner == nil ? rest.prefix { $0.largeOwner == nil } : rest.prefix(1)
      rest = rest.dropFirst(together.count)
      commitTogether(Array(together), to: database)
    }
  }

  private func commitTogether(_ writes: [Write], to database: Database) {
    let start = ContinuousClock.now
    let outbox = OutboxWriter(service: service, database: database)
    let afterwards = Afterwards()
    var answers: [@Sendable () -> Void] = []
    answers.reserveCapacity(writes.count)
    do {
      try database.run("BEGIN IMMEDIATE TRANSACTION")
    } catch {
      undo(writes, culprit: nil, error, in: database)
      return
    }
    do {
      for write in writes {
        let transaction = Transaction(outbox, afterwards, now: clock.now, traceparent: write.traceparent)
        answers.append(try writes.count == 1 ? perform(write, transaction) : attempt(write, transaction))
      }
    } catch {
      undo(writes, culprit: answers.count, error, in: database)
      return
    }
    let end = ContinuousClock.now
    do {
      try database.run("COMMIT TRANSACTION")
    } catch {
      if let problem = StorageProblem(ofCommit: error, in: database) { return refuse(writes, problem, in: database) }
      // Whether the commit is durable is unknown, so neither success nor failure can be reported.
      onFatal(fatalReason(error) ?? "a commit failed: \(error)")
      undo(writes, culprit: nil, error, in: database)
      return
    }
    slowest.note(ContinuousClock.now - end)
    metrics.commits.increment()
    metrics.writesPerCommit.record(writes.count)
    metrics.commitDuration.recordNanoseconds((ContinuousClock.now - start).nanoseconds)
    space.took(writes)
    for answer in answers { answer() }
    for body in afterwards.bodies { body() }
    if let published = outbox.published(epoch) { publish(published) }
    committed()
  }

  /// Performs a write that has the transaction to itself, and returns the answer to give after the commit. If the write fails, the whole
  /// transaction is rolled back. A savepoint would keep a copy of each changed page, and the more copies it has, the slower each further
  /// one.
  private func perform(_ write: Write, _ transaction: Transaction) throws -> @Sendable () -> Void {
    let succeed = try write.perform(transaction)
    try checkDeferredForeignKeys(transaction.database)
    return succeed
  }

  /// Performs a write in a savepoint, and returns the answer to give after the commit. Throws if the whole transaction is lost.
  private func attempt(_ write: Write, _ transaction: Transaction) throws -> @Sendable () -> Void {
    let database = transaction.database
    let lastNumber = transaction.outbox.lastNumber
    let afterwards = transaction.afterwards.bodies.count
    try database.run("SAVEPOINT write")
    do {
      let succeed = try write.perform(transaction)
      try checkDeferredForeignKeys(database)
      try database.run("RELEASE SAVEPOINT write")
      return succeed
    } catch {
      guard fatalReason(error) == nil, StorageProblem(error, in: database) == nil, database.isInsideTransaction else {
        throw error
      }
      try database.run("ROLLBACK TO SAVEPOINT write")
      try database.run("RELEASE SAVEPOINT write")
      transaction.outbox.goBack(to: lastNumber)
      transaction.afterwards.bodies.removeSubrange(afterwards...)
      return { write.fail(error) }
    }
  }

  /// Checks a write's deferred foreign keys, which would otherwise fail the commit for all writes.
  private func checkDeferredForeignKeys(_ database: Database) throws {
    var unresolved: CInt = 0
    var highest: CInt = 0
    sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &unresolved, &highest, 0)
    if unresolved != 0 {
      throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "FOREIGN KEY constraint failed")
    }
  }

  /// Rolls the transaction back. The culprit, if there is one, gets the error; the other callers may retry.
  private func undo(_ writes: [Write], culprit: Int?, _ error: any Error, in database: Database) {
    if let problem = StorageProblem(error, in: database) { return refuse(writes, problem, in: database) }
    if let reason = fatalReason(error) { onFatal(reason) }
    rollBack(database)
    for (index, write) in writes.enumerated() {
      write.fail(index == culprit ? error : Failure.closed)
    }
  }

  /// Rolls the transaction back because the disk takes no writes.
  private func refuse(_ writes: [Write], _ problem: StorageProblem, in database: Database) {
    rollBack(database)
    space.refuse(writes, problem)
  }

  private func rollBack(_ database: Database) {
    do {
      try database.rollback()
    } catch {
      onFatal("a transaction cannot be rolled back: \(error)")
    }
  }
}

extension Duration {
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
