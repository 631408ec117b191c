import ActivityContract
import IdentityContract
import Operations
import Storage

/// Applies activity's events about days to coins.
struct CoinSubscriptions: Sendable {
  let formula: CoinFormula
  let expiry: CoinExpiry

  /// Counts the days, unless the account was erased, or no longer consents (ID-13): from then on nothing is counted, and earned coins stay.
  @Sendable
  func movementChanged(_ event: MovementDaysChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let eligibility = try EligibilityStore.find(event.accountID, at: transaction.now, in: transaction.database)
    if eligibility.counts { return try CoinStore.count(event, by: formula, expiry: expiry, transaction) }
    guard eligibility.lacksConsent else { return }
    try PendingDayStore.keep(event.earning(by: formula), publishedAt: logged.at, transaction)
  }

  /// Counts days that arrived before the consent under which they were recorded.
  @Sendable
  func accountChanged(_ event: AccountChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try EligibilityStore.find(event.accountID, at: transaction.now, in: transaction.database).counts else { return }
    for waiting in try PendingDayStore.take(of: event.accountID, transaction) {
      try CoinStore.count(waiting, by: formula, expiry: expiry, transaction)
    }
  }
}
