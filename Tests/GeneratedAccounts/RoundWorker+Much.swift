import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

extension OperationRound {
  /// Played by accounts with much of everything alone.
  static let much = OperationRound("much of everything") { try await $0.lookAtMuch() }
}

extension RoundWorker {
  /// What takes `ana`, who has much of everything, further back or through more than the rounds do.
  func lookAtMuch() async throws {
    try await ana(GetDay.self, .init(day: .day(day(-700))))
    try await ana(ListHistory.self, .init(text: "lago"))
    try await ana(ListMovementDays.self, .init(from: day(-399), to: day(0)))
    try await ana(ListFollows.self, .init())
    try await ana(ListConversations.self, .init())
    try await ana(ListMessages.self, .init(accountID: ben.id))
    try await ana(SearchMessages.self, .init(accountID: ben.id, query: try MessageQuery(text: "zebra")))
    try await ana(ListTasks.self, .init(state: .completed))
    try await ana(ListFriendChallenges.self, .init())
    try await ana(ListLeaderboard.self, .init(metric: .steps, scope: .friends))
    try await ana(ListLeaderboard.self, .init(metric: .coins, period: .allTime, scope: .friends))
    try await changeLongHistory()
    try await readHalf()
    try await changeName()
  }

  /// Today's entry of an activity that has many.
  private func changeLongHistory() async throws {
    let id = try await ana(ListActivities.self, .init()).items[0].activity.id
    try await ana(RecordEntry.self, .init(activityID: id, day: .today, amount: 3, comment: "by the lake"))
    try await ana(IncrementEntry.self, .init(activityID: id, day: .today, amount: 1))
    try await ana(UpdateEntry.self, .init(activityID: id, day: .today, comment: .set("in the rain")))
    try await ana(ListEntryChanges.self, .init(activityID: id, day: .today))
    try await ana(UndoEntry.self, .init(activityID: id, day: .today))
    try await ana(DeleteEntryChanges.self, .init(activityID: id, day: .today))
    try await ana(DeleteEntry.self, .init(activityID: id, day: .today))
  }

  private func readHalf() async throws {
    guard let newest = try await ana(ListNotifications.self, .init()).items.first else {
      return timings.fail(ListNotifications.spec.name, "it is empty")
    }
    try await ana(CountUnreadNotifications.self, .init())
    try await ana(ListNotificationsSince.self, .init(after: newest.number / 2))
    try await ana(MarkAllNotificationsRead.self, .init(upTo: newest.number / 2))
    try await ana(MarkNotificationRead.self, .init(notificationID: newest.id))
  }

  /// Every friend's list names it; and back again.
  private func changeName() async throws {
    for name in ["\(ana.username)x", "\(ana.username)"] {
      try await ana(UpdateProfile.self, .init(username: .set(FormField(text: name))))
    }
  }
}
