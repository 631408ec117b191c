import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the appointment of administrators.
  mutating func serveAdministrators() {
    serve(
      AppointAdministrator.self,
      write: { input, call, transaction in
        guard let account = try transaction.database.account(input.username) else { throw Failure(RequestFailure.notFound) }
        if account.isAdministrator { return account.own }
        try transaction.database.cachedStatement(
          sql: "UPDATE accounts SET is_administrator = 1, revision = revision + 1 WHERE account_id = ?"
        ).execute(arguments: [account.id])
        try transaction.record(SecurityEvent(.administratorAppointed, account: account.id), from: call.caller)
        return try transaction.tellAccount(account.id).own
      })
  }
}
