import ActivityContract
import Operations
import Storage

/// What challenges learn from activity.
enum FriendChallengeSubscriptions {
  /// An accepted challenge needs both activities, and one that waits the challenger's.
  static func activityDeleted(_ event: ActivityDeleted, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try FriendChallengeStore.end(of: event.activityID, of: event.accountID, transaction)
  }

  /// Keeps the streak where a challenge of that activity goes on.
  static func streakChanged(_ event: StreakChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    try FriendChallengeStreakStore.keep(event, transaction)
  }
}
