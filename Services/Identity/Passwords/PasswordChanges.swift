import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves what the mail about a changed password needs.
  mutating func servePasswordChanges() {
    serve(
      ReadAddressee.self,
      read: { input, _, database in
        guard let account = try database.account(input.accountID) else { throw Failure(RequestFailure.notFound) }
        return ReadAddressee.Output(email: account.email, username: account.username, language: account.language)
      })
  }
}

extension Transaction {
  /// Gives the account another password, and tells of it: links that would recover the older one work no longer.
  func changePassword(of account: AccountID, to hash: PasswordHash) throws {
    try database.cachedStatement(sql: "UPDATE accounts SET password_hash = ? WHERE account_id = ?").execute(arguments: [
      hash.text, account,
    ])
    try replacePasswordRecoveries(of: account)
    try tell(PasswordChanged(changeID: PasswordChangeID(), accountID: account))
  }

  /// Ends the account's sessions, each told by an event of its own.
  func revokeSessions(of account: AccountID, except kept: SessionID? = nil, _ reason: SessionRevoked.Reason) throws {
    let sessions = try SessionID.fetchAll(
      database.cachedStatement(
        sql: "SELECT session_id FROM sessions WHERE account_id = ? AND revoked_at IS NULL AND expires_at > ?"),
      arguments: [account, now])
    for session in sessions where session != kept { try revoke(session, of: account, reason) }
  }
}
