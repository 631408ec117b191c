import IdentityContract
import Operations
import Storage

/// What preferences learn from identity.
enum PreferenceSubscriptions {
  /// Who muted help when identity kept that goes on muting it. Identity publishes so with every change of the account; it counts once.
  static func accountChanged(_ event: AccountChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard event.mutesHelp == true, try !transaction.database.isErased(event.accountID) else { return }
    try PreferenceStore.takeOverHelp(of: event.accountID, in: transaction.database)
  }
}
