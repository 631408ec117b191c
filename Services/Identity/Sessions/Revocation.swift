import IdentityContract
import Operations
import Storage

extension Transaction {
  /// Ends the account's sessions and all other access to it, knows none of its devices any longer, and lets no link change its address
  /// that was asked for before.
  func revokeEverything(of account: AccountID, _ reason: SessionRevoked.Reason) throws {
    try revokeSessions(of: account, reason)
    try revokeAllButSessions(of: account)
  }

  /// The same for all but the sessions.
  func revokeAllButSessions(of account: AccountID) throws {
    try forgetDevices(of: account)
    try replaceEmailChanges(of: account)
    try withdrawAccess(to: account)
  }
}
