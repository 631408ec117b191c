import NotificationsContract

/// How a kind of notification goes out: by which channels unless its reader chooses otherwise, what cannot be switched off, and how
/// urgent it is (NOT-4, NOT-5).
struct DeliverySpec: Sendable, Hashable {
  /// The channels that are on unless somebody chooses otherwise.
  var defaults: Set<NotificationChannel>
  /// The channels that cannot be switched off.
  var required: Set<NotificationChannel> = []
  var urgency = NotificationUrgency.normal
  /// How long mail and push wait for it to be read in the inbox, which spares them.
  var delaySeconds = 0
  /// Whether what waits of it is not sent once it was read in the inbox.
  var endsWhenRead = true

  /// The same, but on only where those are.
  func on(_ channels: Set<NotificationChannel>) -> DeliverySpec {
    var spec = self
    spec.defaults = channels
    spec.required.formIntersection(channels)
    return spec
  }

  /// The same, and all of it may be switched off.
  var optional: DeliverySpec {
    var spec = self
    spec.required = []
    return spec
  }

  /// The same after a moment in which it may be read in the inbox.
  func delayed(bySeconds seconds: Int) -> DeliverySpec {
    var spec = self
    spec.delaySeconds = seconds
    return spec
  }

  /// The same, no more than those channels can carry.
  func limited(to possible: Set<NotificationChannel>) -> DeliverySpec { on(defaults.intersection(possible)) }
}

/// How urgent a notification is (RFC 8030, section 5.3). What is of high urgency comes through quiet hours.
enum NotificationUrgency: String, Sendable, CaseIterable, Comparable {
  case veryLow = "very-low"
  case low
  case normal
  case high

  static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .veryLow: 0
    case .low: 1
    case .normal: 2
    case .high: 3
    }
  }
}

extension NotificationCategory {
  /// How its kinds are delivered, unless they say otherwise. A kind without a mail of its own is mailed only to accounts that choose so.
  var delivery: DeliverySpec {
    switch self {
    case .social, .challenges, .tasks, .help, .teams, .messages, .reminders, .goals: DeliverySpec(defaults: [.inbox, .push])
    case .rewards: DeliverySpec(defaults: [.inbox, .push], urgency: .low)
    case .imports, .announcements: DeliverySpec(defaults: [.inbox], urgency: .low)
    case .moderation: DeliverySpec(defaults: [.inbox, .email, .push])
    case .account:
      DeliverySpec(defaults: [.inbox, .email, .push], required: [.inbox, .email], endsWhenRead: false)
    case .logins, .security, .administration:
      DeliverySpec(
        defaults: [.inbox, .email, .push], required: [.inbox, .email], urgency: .high, endsWhenRead: false)
    }
  }
}
