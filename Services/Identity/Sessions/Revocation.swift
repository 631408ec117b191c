import IdentityContract
import Operations
import Storage

/// The end of all access to an account.
enum Revocation {
  /// For how long what was revoked is part of the snapshot: no access token lives longer.
  static let publishedSeconds = 900

  /// Ends the account's sessions and all other access to it, forgets its devices, and cancels pending changes of its address.
  static func revokeEverything(of account: AccountID, _ reason: SessionRevoked.Reason, _ transaction: Transaction) throws {
    try SessionStore.revokeAll(of: account, reason, transaction)
    try revokeAllButSessions(of: account, transaction)
  }

  /// The same for all but the sessions.
  static func revokeAllButSessions(of account: AccountID, _ transaction: Transaction) throws {
    try DeviceTokenStore.forgetAll(of: account, transaction)
    try EmailChangeStore.replaceAll(of: account, transaction)
    try AccessWithdrawalStore.withdraw(to: account, transaction)
  }
}
