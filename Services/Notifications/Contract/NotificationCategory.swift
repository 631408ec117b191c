public import Operations

/// What notifications are about, by which an account chooses where they reach it, and narrows its inbox (NOT-4).
public enum NotificationCategory: String, Choice {
  /// Friends and followers.
  case social
  /// Challenges among friends.
  case challenges
  /// Tasks that are shared with others.
  case tasks
  /// Help asked for and offered in tasks: to mute it is to switch this off.
  case help
  case teams
  case messages
  /// Of activities, at the times that one has set.
  case reminders
  case imports
  case rewards
  /// Step goals, days without movement, and what became of a week.
  case goals
  /// What moderators decide.
  case moderation
  /// What operators let everybody know.
  case announcements
  case account
  /// What logs in from where: hidden from sessions in doubt, since a login is trusted by it.
  case logins
  case security
  case administration
}

/// A way by which a notification reaches its reader (NOT-5).
public enum NotificationChannel: String, Choice {
  /// The inbox, and live delivery to whoever is connected.
  case inbox
  case email
  /// Web Push, to the devices that asked for it.
  case push
}
