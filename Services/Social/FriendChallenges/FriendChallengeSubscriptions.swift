import ActivityContract
import Operations
import Storage

/// What challenges learn from activity.
enum FriendChallengeSubscriptions {
  /// An accepted challenge needs both activities, and one that waits the challenger's.
  static func activityDeleted(_ event: ActivityDeleted, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try FriendChallengeStore.end(of: event.activityID, of: event.accountID, transaction)
  }

  /// Stores the streak where a challenge to that activity is active.
  static func streakChanged(_ event: StreakChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    try FriendChallengeStreakStore.keep(event, transaction)
  }
}
