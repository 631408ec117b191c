import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

extension RoundWorker {
  /// A write in each service.
  public func writeEverywhere() async throws {
    do {
      let id = try await ana(ListActivities.self, .init()).items[1].activity.id
      try await ana(IncrementEntry.self, .init(activityID: id, day: .today, amount: 1))
      try await ana(SendMessage.self, .init(accountID: ben.id, text: ChatText(text: "Backup \(name)")))
      try await ana(SetLeaderboardVisibility.self, .init(isVisible: true))
      let isOdd = "13579".contains(name.suffix(1))
      try await ana(UpdateSettings.self, .init(givesReadReceipts: .set(isOdd)))
      try await ana(
        UpdateNotificationPreferences.self, .init(choices: [NotificationChoice(category: .teams, .email, isOn: isOdd)]))
    } catch is RoundWorker.Ended {
      // Noted where it happened.
    }
  }
}
