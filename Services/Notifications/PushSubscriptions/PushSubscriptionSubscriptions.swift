import IdentityContract
import Operations
import Storage

/// Ends subscriptions with the access of their owners. Identity is asked about ends that no event reports, see ``PushSessionStore``.
enum PushSubscriptionSubscriptions {
  static func sessionRevoked(_ session: SessionRevoked, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try PushSubscriptionStore.remove(of: session.sessionID, transaction)
  }

  static func accessWithdrawn(_ access: AccessWithdrawn, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try PushSubscriptionStore.remove(withdrawn: access, transaction)
  }
}
