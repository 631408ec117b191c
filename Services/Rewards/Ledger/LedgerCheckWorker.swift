import GRDB
import Logging
import Operations
import RewardsContract
import ServiceKit
import ServiceLifecycle
import Storage

/// Verifies the ledger once a day, in pieces during normal operation, and publishes an event where it has faults, which alerts
/// administrators.
struct LedgerCheckWorker: Service {
  let store: Store
  let clock: Clock
  let logger: Logger
  /// The hour in UTC from which on the ledger is verified.
  var hour = 3
  var interval = Duration.seconds(600)

  func run() async throws { try await repeating(every: interval) { try await checkDaily() } }

  /// Verifies the ledger, unless that was done today or the hour has not come.
  func checkDaily() async throws {
    let today = LedgerCheckStore.night(at: clock.now, hour: hour)
    guard try await store.read({ try LedgerCheckStore.last(in: $0) < today }) else { return }
    let check = try await prove()
    if !check.faults.isEmpty {
      logger.critical(
        "the ledger does not add up",
        metadata: ["faults": "\(check.count)", "first": "\(check.faults.prefix(10).joined(separator: "; "))"])
    }
    try await store.write { transaction in
      try LedgerCheckStore.note(today, in: transaction.database)
      if check.count > 0 { try transaction.publish(LedgerFailed(faults: check.count, at: transaction.now)) }
    }
  }

  /// Verifies the ledger, each piece in one read transaction.
  func prove() async throws -> LedgerCheck {
    var check = try await store.read { try LedgerCheck(in: $0) }
    check = try await inPieces(check, from: 0) { try $0.checkTransfers(after: $1, atMost: $2, in: $3) }
    check = try await inPieces(check, from: Int64(0)) { try $0.checkPersons(after: $1, atMost: $2, in: $3) }
    check = try await inPieces(check, from: Int64(0)) { try $0.checkLots(after: $1, atMost: $2, in: $3) }
    check.end()
    return check
  }

  /// Verifies a part of the ledger. Other reads wait for a piece, so its size depends on how long the last one took: persons have few
  /// transfers or thousands. Between two pieces the store is left to others for as long as the piece took.
  private func inPieces<Key: Sendable>(
    _ check: LedgerCheck, from first: Key,
    _ look: @escaping @Sendable (inout LedgerCheck, _ after: Key, _ count: Int, Database) throws -> Key?
  ) async throws -> LedgerCheck {
    var check = check
    var next: Key? = first
    var size = StepSize(first: 10, max: LedgerCheck.piece, target: .milliseconds(15), allowsForOverhead: false)
    while let after = next {
      let duration: Duration
      (check, next, duration) = try await store.read { [check, count = size.count] database in
        // Measured without the wait for its turn.
        let start = ContinuousClock.now
        var check = check
        let next = try look(&check, after, count, database)
        return (check, next, ContinuousClock.now - start)
      }
      size.took(duration)
      try await Task.sleep(for: duration)
    }
    return check
  }
}
