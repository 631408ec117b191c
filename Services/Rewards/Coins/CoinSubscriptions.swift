import ActivityContract
import Operations
import Storage

/// What activity's days count for.
struct CoinSubscriptions: Sendable {
  let formula: CoinFormula

  /// Counts the days, unless the event comes late of an account that was erased.
  @Sendable
  func movementChanged(_ event: MovementChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    try CoinStore.count(event, by: formula, transaction)
  }
}
