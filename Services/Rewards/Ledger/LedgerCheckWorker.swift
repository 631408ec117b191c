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
    var number = 0
    while number < check.last {
      (check, number) = try await piece(check) { [number] in try $0.checkTransfers(after: number, in: $1) }
    }
    var person: Int64? = 0
    while let after = person { (check, person) = try await piece(check) { try $0.checkPersons(after: after, in: $1) } }
    var lot: Int64? = 0
    while let after = lot { (check, lot) = try await piece(check) { try $0.checkLots(after: after, in: $1) } }
    check.end()
    return check
  }

  private func piece<Next: Sendable>(
    _ check: LedgerCheck, _ look: @escaping @Sendable (inout LedgerCheck, Database) throws -> Next
  ) async throws -> (LedgerCheck, Next) {
    try await store.read { database in
      var check = check
      let next = try look(&check, database)
      return (check, next)
    }
  }
}
