import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Administrators: appointed and dismissed.
enum AdministratorHandlers {
  static func appoint(_ input: AppointAdministrator.Input, _ call: OpenCall, _ transaction: Transaction) throws -> OwnAccount {
    guard let account = try AccountStore.find(input.username, in: transaction.database) else {
      throw Failure(RequestFailure.notFound)
    }
    if account.isAdministrator { return account.own }
    // What administrators are mailed is for whoever has proved that the address is theirs.
    guard account.verifiedAt != nil else { throw Failure(RequestFailure.verificationRequired) }
    try AdministratorStore.set(account.id, true, transaction)
    try SecurityEventStore.record(SecurityEvent(.administratorAppointed, account: account.id), from: call.caller, transaction)
    try raiseEach(.administratorAppointed, of: account.id, transaction)
    return try AccountStore.publish(account.id, transaction).own
  }

  static func dismiss(_ input: DismissAdministrator.Input, _ call: OpenCall, _ transaction: Transaction) throws -> OwnAccount {
    guard let account = try AccountStore.find(input.username, in: transaction.database) else {
      throw Failure(RequestFailure.notFound)
    }
    guard account.isAdministrator else { return account.own }
    try AdministratorStore.requireOthers(than: account, in: transaction.database)
    // Before it takes effect: whoever is dismissed is notified with the others.
    try raiseEach(.administratorDismissed, of: account.id, transaction)
    try AdministratorStore.set(account.id, false, transaction)
    // Other services believe the token, which says that the account administers.
    try SessionStore.invalidateAllTokens(of: account.id, transaction)
    try SecurityEventStore.record(SecurityEvent(.administratorDismissed, account: account.id), from: call.caller, transaction)
    return try AccountStore.publish(account.id, transaction).own
  }

  static func list(_ input: Empty, _ call: OpenCall, _ database: Database) throws -> ListAdministrators.Output {
    ListAdministrators.Output(accountIDs: try AdministratorStore.ids(in: database))
  }

  /// Raises a separate incident each time, of which administrators are notified: a second one on the same day must not be hidden by the
  /// first.
  private static func raiseEach(_ pattern: IncidentPattern, of account: AccountID, _ transaction: Transaction) throws {
    let subject = IncidentSubject.account(account)
    if let last = try IncidentStore.findOpen(pattern, subject, in: transaction.database) {
      try IncidentStore.close(last.id, by: nil, at: transaction.now, comment: nil, transaction)
    }
    try IncidentStore.raise(IncidentFinding(pattern, count: 1), on: subject, transaction)
  }
}

extension AccountCall {
  /// The signed-in account, if it administers: the token may be older than the end of that.
  func liveAdministrator(_ database: Database) throws -> AccountRecord {
    let account = try liveAccount(database)
    guard account.isAdministrator else { throw Failure(RequestFailure.forbidden) }
    return account
  }
}
