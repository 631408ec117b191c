import NotificationsContract
import Operations

/// What an account has chosen, by category or kind, and by channel (NOT-4).
struct PreferenceChoices: Sendable, Hashable {
  /// What a choice is of.
  enum Topic: Sendable, Hashable {
    case category(NotificationCategory)
    /// The name of a ``NotificationSpec``.
    case kind(String)
  }

  struct Key: Sendable, Hashable {
    let topic: Topic
    let channel: NotificationChannel

    init(_ topic: Topic, _ channel: NotificationChannel) {
      self.topic = topic
      self.channel = channel
    }
  }

  var isOn: [Key: Bool] = [:]

  /// Help is muted: none of its kinds is sent by any channel (B UC13).
  static let helpMuted = PreferenceChoices(
    isOn: Dictionary(
      uniqueKeysWithValues: NotificationChannel.allCases.map { (Key(.category(.help), $0), false) }))

  /// The choice for a kind: its own if there is one, otherwise its category's; nil where neither was chosen.
  func choice(for kind: NotificationSpec, _ channel: NotificationChannel) -> Bool? {
    isOn[Key(.kind(kind.name), channel)] ?? isOn[Key(.category(kind.category), channel)]
  }

  /// What is true of a kind and a channel.
  func state(of kind: NotificationSpec, _ channel: NotificationChannel) -> NotificationSwitch {
    guard kind.channels.contains(channel) else { return .unavailable }
    if kind.delivery.required.contains(channel) { return .required }
    return choice(for: kind, channel) ?? kind.delivery.defaults.contains(channel) ? .on : .off
  }

  /// Whether what is on its way was switched off since; what cannot be switched off never is.
  func isSwitchedOff(_ delivery: Delivery) -> Bool { isSwitchedOff(delivery.kind, by: delivery.channel) }

  /// The same of a kind and a channel.
  func isSwitchedOff(_ kind: String, by channel: NotificationChannel) -> Bool {
    NotificationSpec.named(kind).map { state(of: $0, channel) == .off } ?? false
  }
}

/// Why a delivery is silent, so that it alerts nobody (E UC-06 AF-03, UC-07 AF-01).
enum SilenceReason: String, Choice {
  /// Its reader chose so.
  case switchedOff = "switched_off"
  /// It was read in the inbox while it waited.
  case read
  /// What it is about was removed, or taken back, while it waited; or its reader deleted it.
  case withdrawn
  /// The address is not verified, so its owner is unknown.
  case unverified
  /// The account is suspended.
  case suspended
  /// Its time was over before it could be sent.
  case late
  /// No device takes pushes any more.
  case noDevice = "no_device"
  /// Too many pushes waited for the device, and others mattered more.
  case displaced
  /// There is no longer a reason for the mail.
  case obsolete
}

/// Why a delivery waits.
enum HoldReason: String, Choice {
  /// Until quiet hours end; what waits then goes together.
  case quietHours = "quiet_hours"
  /// For a moment in which it may be read in the inbox.
  case unread
}

/// What is done with a notification on one channel.
enum DeliveryDecision: Sendable, Hashable {
  case now
  case hold(until: Instant, HoldReason)
  case silent(SilenceReason)

  /// The same of news that end: nothing is sent of them from then on, and they wait for nothing later.
  ///
  /// - Parameter end: when they do; nil where they do not.
  func ended(at end: Instant?, now: Instant) -> DeliveryDecision {
    guard let end else { return self }
    return switch self {
    case .now where now >= end: .silent(.late)
    case .hold(let until, _) where until >= end: .silent(.late)
    default: self
    }
  }
}

/// The recipient of a notification, with the properties that affect its channels.
struct DeliveryRecipient: Sendable {
  var choices = PreferenceChoices()
  var isVerified = true
  var isSuspended = false
  /// When the quiet hours that last now end; nil outside.
  var quietUntil: Instant?
}

/// Decides what becomes of a notification on each channel: delivered now, held, or nothing, with the reason (NOT-4).
enum PreferenceRules {
  /// - Parameters:
  ///   - kind: what it is.
  ///   - recipient: whose it is, with choices and quiet hours.
  ///   - isDelayOver: whether it has waited already for being read.
  /// - Returns: what is done on each channel that can carry it; none for channels that are off by themselves and that nobody chose.
  static func decide(
    _ kind: NotificationSpec, for recipient: DeliveryRecipient, at now: Instant, isDelayOver: Bool = false
  ) -> [NotificationChannel: DeliveryDecision] {
    var decisions: [NotificationChannel: DeliveryDecision] = [:]
    for channel in kind.channels {
      decisions[channel] = decide(kind, channel, for: recipient, at: now, isDelayOver: isDelayOver)
    }
    return decisions
  }

  /// The same for one channel.
  static func decide(
    _ kind: NotificationSpec, _ channel: NotificationChannel, for recipient: DeliveryRecipient, at now: Instant,
    isDelayOver: Bool = false
  ) -> DeliveryDecision? {
    switch recipient.choices.state(of: kind, channel) {
    case .required: return .now
    case .unavailable: return nil
    case .off:
      // An inbox that stays empty is logged in any case: by that a repeated event is known.
      let isChosen = channel == .inbox || recipient.choices.choice(for: kind, channel) == false
      return isChosen ? .silent(.switchedOff) : nil
    case .on: break
    }
    if channel == .inbox { return .now }
    if recipient.isSuspended { return .silent(.suspended) }
    if channel == .email, !recipient.isVerified { return .silent(.unverified) }
    if kind.delivery.urgency < .high, let end = recipient.quietUntil, end > now { return .hold(until: end, .quietHours) }
    if !isDelayOver, kind.delivery.delaySeconds > 0 {
      return .hold(until: now.adding(seconds: kind.delivery.delaySeconds), .unread)
    }
    return .now
  }

  /// Why a choice is invalid: the kind does not exist, does not use the channel, or cannot be switched off.
  static func fault(of choice: NotificationChoice) -> (String, FieldRule)? {
    let kinds: [NotificationSpec]
    if let name = choice.kind {
      guard let kind = NotificationSpec.named(name), !kind.channels.isEmpty else {
        return ("kind", FieldRule("unknown_notification_kind"))
      }
      kinds = [kind]
    } else {
      kinds = NotificationSpec.all.filter { $0.category == choice.category }
    }
    let carried = kinds.filter { $0.channels.contains(choice.channel) }
    if carried.isEmpty, choice.isOn == true || choice.kind != nil { return ("channel", FieldRule("channel_unavailable")) }
    guard choice.isOn == false, !carried.isEmpty else { return nil }
    guard carried.allSatisfy({ $0.delivery.required.contains(choice.channel) }) else { return nil }
    return (
      "isOn",
      FieldRule(
        "cannot_switch_off",
        ["name": .text(choice.kind ?? choice.category?.rawValue ?? ""), "channel": .text(choice.channel.rawValue)])
    )
  }
}
