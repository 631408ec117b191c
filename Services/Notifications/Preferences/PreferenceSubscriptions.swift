import IdentityContract
import Operations
import Storage

/// What preferences learn from identity.
enum PreferenceSubscriptions {
  /// Keeps help muted for accounts that muted it while identity kept that choice. Identity publishes it with every change of the account;
  /// it counts only once.
  static func accountChanged(_ event: AccountChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard event.mutesHelp == true, try !transaction.database.isErased(event.accountID) else { return }
    try PreferenceStore.takeOverHelp(of: event.accountID, in: transaction.database)
  }
}
