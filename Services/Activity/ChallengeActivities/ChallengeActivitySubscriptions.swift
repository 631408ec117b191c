import ActivityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Handles events of challenges.
struct ChallengeActivitySubscriptions: Sendable {
  let calendars: AccountCalendars

  /// Creates the activity for the account that accepted, once.
  ///
  /// The maximum number of activities was checked on acceptance: the activity is created even where others have been added since.
  func accepted(_ event: FriendChallengeAccepted, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let account = event.accountID
    guard try !transaction.database.isErased(account),
      try ChallengeActivityStore.note(event.friendChallengeID, event.activityID, of: account, transaction)
    else { return }
    let activity = Activity(
      id: event.activityID, title: event.activity.title, reason: event.activity.reason, category: event.activity.category,
      goal: event.activity.goal, schedule: event.activity.schedule, startDay: event.activity.startDay,
      endDay: event.activity.endDay, tie: event.activity.tie, createdAt: transaction.now)
    try ActivityStore.add(activity, of: account, isBounded: false, transaction)
    let today = try calendars.day(of: transaction.now, account, in: transaction.database)
    try MovementTieStore.set(activity.tie, activity.id, of: account, today: today, transaction)
  }

  /// Publishes the challenger's streak again: social keeps only streaks of accepted challenges, and may have ignored earlier events.
  func changed(_ event: FriendChallengeChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard event.state == .accepted, event.direction == .sent, let activity = event.activityID,
      try !transaction.database.isErased(event.accountID)
    else { return }
    try StreakStore.publishAgain(activity, of: event.accountID, transaction)
  }
}
