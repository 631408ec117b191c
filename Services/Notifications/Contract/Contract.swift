import CNotificationsWords
public import Operations

extension Contract {
  /// What notifications shows the other services and the clients.
  public static let notifications = Contract(
    .notifications,
    features: [
      .inbox, .preferences, .quietHours, .deliveries, .unsubscribes, .reminders, .broadcasts, .pushSubscriptions, .deadEmails,
      .deadPushes, .mailbox,
    ],
    words: [.init(en: [UInt8](notifications_words_en), es: [UInt8](notifications_words_es))])
}
