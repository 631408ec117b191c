import IdentityContract
import Operations
import Storage

/// Ends feeds when the access of the sessions that created them ends.
enum CalendarFeedSubscriptions {
  static func sessionRevoked(_ session: SessionRevoked, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try EndedSessionStore.note(session, transaction)
    try CalendarFeedStore.end(madeBy: session, transaction)
  }

  static func accessWithdrawn(_ access: AccessWithdrawn, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try CalendarFeedStore.end(withdrawn: access, transaction)
  }
}
