import IdentityContract
import NotificationsContract
import Operations
import SocialContract

extension OperationRound {
  static let notifications = [
    OperationRound("inbox") { try await $0.inbox() },
    OperationRound("ways of notifications") { try await $0.ways() },
    OperationRound("broadcasts", .seldom) { try await $0.broadcasts() },
  ]
}

extension RoundWorker {
  func inbox() async throws {
    // What it reads and deletes is of this round.
    try await ana(SendMessage.self, .init(accountID: ben.id, text: ChatText(text: "Inbox \(name)")))
    try await ben(CountUnreadNotifications.self, .init())
    try await ben(ListNotificationsSince.self, .init(after: 0))
    let items = try await ben(ListNotifications.self, .init(limit: 50)).items
    guard let newest = items.first else { return timings.fail(ListNotifications.spec.name, "it is empty") }
    try await ben(ListDeliveries.self, .init())
    if let old = items.last { try await ben(MarkNotificationRead.self, .init(notificationID: old.id)) }
    try await ben(MarkAllNotificationsRead.self, .init(upTo: newest.number))
    if items.count > 3 { try await ben(DeleteNotification.self, .init(notificationID: items[items.count - 1].id)) }
  }

  func ways() async throws {
    try await ana(GetNotificationPreferences.self, .init())
    try await ana(
      UpdateNotificationPreferences.self, .init(choices: [NotificationChoice(category: .teams, .email, isOn: true)]))
    try await ana(SetQuietHours.self, .init(startsAt: QuietTime(text: "23:00"), endsAt: QuietTime(text: "23:30")))
    try await ana(GetQuietHours.self, .init())
    try await ana(ClearQuietHours.self, .init())
    try await ana(GetPushKey.self, .init())
    let keys = CreatePushSubscription.Keys(
      p256dh: try PushKey(text: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
      auth: try PushSecret(text: "BTBZMqHH6r4Tts7J_aSIgg"))
    let device = try await ana(
      CreatePushSubscription.self, .init(endpoint: PushEndpoint(text: "https://push.example.org/\(name)"), keys: keys)
    ).id
    try await ana(ListPushSubscriptions.self, .init())
    try await ana(
      RenamePushSubscription.self, .init(pushSubscriptionID: device, name: PushSubscriptionName(text: "Mine")))
    try await ana(DeletePushSubscription.self, .init(pushSubscriptionID: device))
  }

  func broadcasts() async throws {
    let message = BroadcastMessage(title: "Round \(name)", text: "Hello.")
    try await administrator(PreviewBroadcast.self, message)
    try await administrator(TestBroadcast.self, message)
    let sent = try await administrator(SendBroadcast.self, .init(message: message, perMinute: 1))
    try await administrator(ListBroadcasts.self, .init())
    try await administrator(CancelBroadcast.self, .init(broadcastID: sent.id))
    try await administrator(GetDeliveryStatistics.self, .init())
    try await administrator(ListDeadEmails.self, .init())
    try await administrator(ListDeadPushes.self, .init())
  }
}
