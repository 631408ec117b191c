import IdentityContract
import Operations
import Storage

extension Transaction {
  /// Ends the account's sessions, knows none of its devices any longer, revokes its personal access tokens, and lets no link change its
  /// address that was asked for before.
  func revokeEverything(of account: AccountID, _ reason: SessionRevoked.Reason) throws {
    try revokeSessions(of: account, reason)
    try forgetDevices(of: account)
    try replaceEmailChanges(of: account)
    try revokePersonalAccessTokens(of: account)
  }

  /// Revokes all of them: whoever had the password may have made some to stay.
  func revokePersonalAccessTokens(of account: AccountID) throws {
    for token in try database.personalAccessTokens(of: account, before: nil, limit: -1) {
      try revokePersonalAccessToken(token.id, of: account)
    }
  }
}
