import IdentityContract
import Operations
import Storage

/// How feeds end with the access of those who made them.
enum CalendarFeedSubscriptions {
  static func sessionRevoked(_ session: SessionRevoked, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try EndedSessionStore.note(session, transaction)
    try CalendarFeedStore.end(madeBy: session, transaction)
  }

  static func accessWithdrawn(_ access: AccessWithdrawn, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try CalendarFeedStore.end(withdrawn: access, transaction)
  }
}
