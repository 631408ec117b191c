import IdentityContract
import Operations
import Storage

extension Transaction {
  /// Ends the account's sessions, revokes its personal access tokens, and lets no link change its address that was asked for before.
  func revokeEverything(of account: AccountID, _ reason: SessionRevoked.Reason) throws {
    try revokeSessions(of: account, reason)
    try replaceEmailChanges(of: account)
    for token in try database.personalAccessTokens(of: account, before: nil, limit: -1) {
      try revokePersonalAccessToken(token.id, of: account)
    }
  }
}
