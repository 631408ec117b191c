import IdentityContract
import Operations
import RewardsContract
import Storage

/// What other services find that administrators are to look into at once.
enum IncidentSubscriptions {
  /// The ledger of coins does not add up (REW-2).
  static func ledgerFailed(_ event: LedgerFailed, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try SecurityEventStore.record(
      SecurityEvent(.ledgerFailed, account: nil, detail: "\(event.faults) faults"), from: .service(.rewards), transaction)
    try IncidentStore.raise(IncidentFinding(.ledgerFailing, count: 1), on: .system, transaction)
  }
}
