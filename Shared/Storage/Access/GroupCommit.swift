import GRDB
import GRDBSQLite
import Metrics
import Operations

/// A waiting write.
struct Write: Sendable {
  let traceparent: String?
  /// Whether it is tried where there is no room but the reserve.
  var usesReserve = false
  /// Whose it is where it changes so much that it has a transaction of its own, nil where it does not: SQLite copies each page that it
  /// changes within a savepoint, and goes through all of those copies at the end of each statement that may be undone.
  var largeOwner: String?
  /// Writes and returns what hands over the result, to be called once it is durable.
  let perform: @Sendable (Transaction) throws -> @Sendable () -> Void
  let fail: @Sendable (any Error) -> Void
}

/// Commits many writes in one transaction, a savepoint each: one that fails leaves the others. A single one needs none.
///
/// Nobody is answered before the commit, not even with a failure: it may rest on what another write of the same commit did.
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
      // Whether it is durable is not known, so neither success nor failure can be reported.
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

  /// What to answer after the commit of a write that is alone: it has the whole transaction, and takes it along when it fails. A savepoint
  /// would keep a copy of each page that it changes, and the more it has kept the slower each further one.
  private func perform(_ write: Write, _ transaction: Transaction) throws -> @Sendable () -> Void {
    let succeed = try write.perform(transaction)
    try checkDeferredForeignKeys(transaction.database)
    return succeed
  }

  /// What to answer after the commit. Throws if the whole transaction is lost.
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

  /// Foreign keys that are checked at the commit would otherwise fail everybody's commit.
  private func checkDeferredForeignKeys(_ database: Database) throws {
    var unresolved: CInt = 0
    var highest: CInt = 0
    sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &unresolved, &highest, 0)
    if unresolved != 0 {
      throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "FOREIGN KEY constraint failed")
    }
  }

  /// Rolls everything back. The write whose fault it is, if it is one's, gets the error; the others may repeat.
  private func undo(_ writes: [Write], culprit: Int?, _ error: any Error, in database: Database) {
    if let problem = StorageProblem(error, in: database) { return refuse(writes, problem, in: database) }
    if let reason = fatalReason(error) { onFatal(reason) }
    rollBack(database)
    for (index, write) in writes.enumerated() {
      write.fail(index == culprit ? error : Failure.closed)
    }
  }

  /// Rolls everything back since the disk takes nothing.
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
