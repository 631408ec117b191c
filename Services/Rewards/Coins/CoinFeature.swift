import ActivityContract
import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Coins for steps (REW-1): each account's days are counted as activity publishes them.
struct CoinFeature: Feature {
  let formula: CoinFormula
  let expiry: CoinExpiry

  let migrations = [CoinStore.migration(3), CoinStore.causeMigration(11), PendingDayStore.migration(13)]
  let tables: [ErasedTable] = [
    .rows("waiting_days", "account_id = :account", .steps),
    .rows("consent_withdrawals", "account_id = :account", .steps),
    .rows("earnings", "account_id = :account", .steps),
    // Days that transfers refer to stay as their causes, under the random id that replaces the person in the ledger. A day is looked up by
    // the references of its transfers (``CoinStore``), of which a person may have many more than days.
    .changed(
      "counted_days", "account_id = :account", .steps,
      by: """
        DELETE FROM counted_days WHERE account_id = :account AND NOT EXISTS (
          SELECT 1 FROM ledger_accounts a
          JOIN transfers t ON t.reference > \(CoinFeature.reference) || '/' AND t.reference < \(CoinFeature.reference) || '0'
          WHERE a.account_id = :account)
        """),
  ]

  /// How the references of a counted day's transfers begin, before a slash.
  private static let reference = "'steps/' || a.ledger_account_id || '/' || date(counted_days.day * 86400, 'unixepoch')"

  func register(in service: inout ServiceDefinition) {
    let handlers = CoinHandlers(formula: formula)
    service.serveAtOnce(GetBalance.self, handlers.balance)
    service.serve(ListTransfers.self, read: handlers.transfers)
    let subscriptions = CoinSubscriptions(formula: formula, expiry: expiry)
    service.subscribe(to: MovementDaysChanged.self, subscriptions.movementChanged)
    service.subscribe(to: AccountChanged.self, subscriptions.accountChanged)
  }

  func consentsWithdrawn(_ purposes: Set<ConsentPurpose>, by account: AccountID, _ transaction: Transaction) throws {
    guard purposes.contains(.activityData) else { return }
    try PendingDayStore.noteWithdrawal(of: account, transaction)
  }
}
