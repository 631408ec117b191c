import NotificationsContract

/// What operators let everybody know.
extension NotificationSpec {
  static let announcement = NotificationSpec("announcement", .announcements, values: ["title", "text"]).saying("title", "text")
}
