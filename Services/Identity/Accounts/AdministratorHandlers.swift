import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the appointment of administrators, and their dismissal.
  mutating func serveAdministrators() {
    serve(
      AppointAdministrator.self,
      write: { input, call, transaction in
        guard let account = try transaction.database.account(input.username) else { throw Failure(RequestFailure.notFound) }
        if account.isAdministrator { return account.own }
        // What administrators are mailed is for whoever has proved that the address is theirs.
        guard account.verifiedAt != nil else { throw Failure(RequestFailure.verificationRequired) }
        try transaction.database.cachedStatement(
          sql: "UPDATE accounts SET is_administrator = 1, revision = revision + 1 WHERE account_id = ?"
        ).execute(arguments: [account.id])
        try transaction.record(SecurityEvent(.administratorAppointed, account: account.id), from: call.caller)
        try transaction.raiseEach(.administratorAppointed, of: account.id)
        return try transaction.publishAccount(account.id).own
      })

    serve(
      DismissAdministrator.self,
      write: { input, call, transaction in
        guard let account = try transaction.database.account(input.username) else { throw Failure(RequestFailure.notFound) }
        guard account.isAdministrator else { return account.own }
        try transaction.database.checkAdministratorsWithout(account)
        // Before it takes effect: whoever is dismissed is told with the others.
        try transaction.raiseEach(.administratorDismissed, of: account.id)
        try transaction.database.cachedStatement(
          sql: "UPDATE accounts SET is_administrator = 0, revision = revision + 1 WHERE account_id = ?"
        ).execute(arguments: [account.id])
        // Other services believe the token, which says that the account administers.
        try transaction.outdateSessions(of: account.id)
        try transaction.record(SecurityEvent(.administratorDismissed, account: account.id), from: call.caller)
        return try transaction.publishAccount(account.id).own
      })
  }
}

extension Transaction {
  /// Raises an incident of its own for each time, of which administrators are told: nobody is to hide one behind another of the same day.
  fileprivate func raiseEach(_ pattern: IncidentPattern, of account: AccountID) throws {
    let subject = IncidentSubject.account(account)
    if let last = try database.openIncident(pattern, subject) { try closeIncident(last.id, by: nil, at: now, comment: nil) }
    try raise(IncidentFinding(pattern, count: 1), on: subject)
  }
}

extension Call {
  /// The signed-in account, if it administers: the token may be older than the end of that.
  func liveAdministrator(_ database: Database) throws -> AccountRecord {
    let account = try liveAccount(database)
    guard account.isAdministrator else { throw Failure(RequestFailure.forbidden) }
    return account
  }
}

extension Database {
  /// - Throws: `last_administrator` if nobody else administers: there would be nobody to hear of incidents.
  func checkAdministratorsWithout(_ account: AccountRecord) throws {
    let statement = try cachedStatement(
      sql: "SELECT 1 FROM accounts WHERE is_administrator = 1 AND account_id <> ? LIMIT 1")
    guard try account.isAdministrator && Row.fetchOne(statement, arguments: [account.id]) == nil else { return }
    throw AdministratorFailure.last
  }

  /// Those whom incidents and reports are told to.
  func administrators() throws -> [AccountRecord] {
    try Row.fetchAll(
      cachedStatement(sql: "SELECT * FROM accounts WHERE is_administrator = 1 ORDER BY account_id LIMIT ?"),
      arguments: [AdministratorRule.maxNotified]
    ).map(AccountRecord.init)
  }
}

/// Bounds what administrators are told.
enum AdministratorRule {
  /// Beyond so many nobody would feel meant.
  static let maxNotified = 50
}
