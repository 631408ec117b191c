import IdentityContract
import Operations
import Storage

extension Transaction {
  /// Ends the account's sessions and revokes its personal access tokens.
  func revokeEverything(of account: AccountID, _ reason: SessionRevoked.Reason) throws {
    try revokeSessions(of: account, reason)
    for token in try database.personalAccessTokens(of: account, before: nil, limit: -1) {
      try revokePersonalAccessToken(token.id, of: account)
    }
  }
}
