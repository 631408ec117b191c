import IdentityContract
import Operations
import Storage

/// How subscriptions end with the access of those who made them. What no event tells is asked of identity, see ``PushSessionStore``.
enum PushSubscriptionSubscriptions {
  static func sessionRevoked(_ session: SessionRevoked, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try PushSubscriptionStore.remove(of: session.sessionID, transaction)
  }

  static func accessWithdrawn(_ access: AccessWithdrawn, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try PushSubscriptionStore.remove(withdrawn: access, transaction)
  }
}
