import CNotificationsWords
public import Operations

extension Contract {
  /// What notifications shows the other services and the clients.
  public static let notifications = Contract(
    .notifications,
    operations: [
      ListNotifications.self, CountUnreadNotifications.self, ListNotificationsSince.self, MarkNotificationRead.self,
      MarkNotificationsRead.self, DeleteNotification.self,
      ReadNotificationPreferences.self, UpdateNotificationPreferences.self,
      ReadQuietHours.self, SetQuietHours.self, ClearQuietHours.self,
      ListDeliveries.self, ReadDeliveryStatistics.self,
      ReadUnsubscribe.self, UseUnsubscribe.self,
      ReadReminder.self, UseReminder.self, AnswerReminder.self,
      PreviewBroadcast.self, SendBroadcast.self, TestBroadcast.self, ListBroadcasts.self, CancelBroadcast.self,
      ReadPushKey.self, CreatePushSubscription.self, ListPushSubscriptions.self, RenamePushSubscription.self,
      DeletePushSubscription.self, OpenPush.self,
      ListDeadEmails.self, RetryDeadEmail.self, ListDeadPushes.self, RetryDeadPush.self,
      ListMailbox.self, ReadMailboxMail.self,
    ],
    events: [NotificationCreated.self, NotificationChanged.self, NotificationRemoved.self, ReminderAnswered.self],
    words: [.init(en: [UInt8](notifications_words_en), es: [UInt8](notifications_words_es))])
}
