import NotificationsContract

/// What became of notifications that a client knows.
struct NotificationChanges: Sendable {
  var changed: [Notification]
  /// Their numbers.
  var removed: [Int]
  /// Up to which change of the account that is.
  var lastChange: Int
}
