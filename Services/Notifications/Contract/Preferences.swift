public import Operations

extension FeatureContract {
  static let preferences = FeatureContract(operations: [GetNotificationPreferences.self, UpdateNotificationPreferences.self])
}

/// Whether notifications of some kind come by some channel.
public enum NotificationSwitch: String, Choice {
  case on
  case off
  /// They come, and cannot be switched off.
  case required
  /// They do not go that way.
  case unavailable
}

/// The channels by which the notifications of a category, or of one kind, reach an account (NOT-4).
public struct NotificationPreference: Document, Hashable {
  public var category: NotificationCategory
  /// Absent for the whole category.
  public var kind: String?
  public var name: String
  public var inbox: NotificationSwitch
  public var email: NotificationSwitch
  public var push: NotificationSwitch
  /// The channels of which it was chosen for exactly this, and not for the category or by nobody.
  public var chosen: [NotificationChannel]

  public init(
    category: NotificationCategory, kind: String?, name: String, inbox: NotificationSwitch, email: NotificationSwitch,
    push: NotificationSwitch, chosen: [NotificationChannel]
  ) {
    self.category = category
    self.kind = kind
    self.name = name
    self.inbox = inbox
    self.email = email
    self.push = push
    self.chosen = chosen
  }

  public static let notes: Notes = [
    "category": "The category.",
    "kind": Note("The kind; absent for the whole category.", example: "friendRequestReceived"),
    "name": "Its name, in the reader's language.",
    "inbox": "Whether they are delivered to the inbox and live connections; for a category, whether any of its kinds is.",
    "email": "Whether they are delivered by e-mail; for a category, whether any of its kinds is.",
    "push": "Whether they are delivered by push; for a category, whether any of its kinds is.",
    "chosen": Note("The channels chosen here explicitly; the others follow the category or the default.", items: 0...3),
  ]
}

/// Where an account's notifications reach it: every category, each followed by its kinds (NOT-4).
public struct NotificationPreferences: Document, Hashable {
  public var items: [NotificationPreference]

  public init(items: [NotificationPreference]) { self.items = items }

  public static let notes: Notes = ["items": "Every category, each followed by its kinds."]
}

/// Reads where an account's notifications reach it (NOT-4).
public enum GetNotificationPreferences: AccountOperation {
  public typealias Input = Empty
  public typealias Output = NotificationPreferences

  public static let spec = OperationSpec(
    "notificationPreferences.get", of: .notifications, .get("/v1/notification-preferences"), by: .account, effect: .read,
    requirements: ["NOT-4"], "Returns which notifications reach the caller by which channel.")
}

/// One choice of an account: a category or a kind, a channel, and whether it is on.
public struct NotificationChoice: Document, Hashable {
  public var category: NotificationCategory?
  public var kind: String?
  public var channel: NotificationChannel
  /// Absent to choose nothing any more.
  public var isOn: Bool?

  public init(category: NotificationCategory, _ channel: NotificationChannel, isOn: Bool?) {
    self.category = category
    self.channel = channel
    self.isOn = isOn
  }

  public init(kind: String, _ channel: NotificationChannel, isOn: Bool?) {
    self.kind = kind
    self.channel = channel
    self.isOn = isOn
  }

  public static let notes: Notes = [
    "category": "A whole category; give this or `kind`.",
    "kind": Note("A single kind, which takes precedence over its category.", length: 1...60, example: "coinsEarned"),
    "channel": "The channel.",
    "isOn": "Whether they are delivered by that channel; absent resets the choice.",
  ]

  public func check(_ fields: inout FieldChecks) {
    fields.expect((category == nil) != (kind == nil), "kind", FieldRule("exactly_one", ["fields": .text("category, kind")]))
  }
}

/// Chooses which notifications reach an account by which channel (NOT-4). Choices that are not given stay as they are.
///
/// What protects the account cannot be switched off in the inbox and by e-mail: notices of security and logins, and the mails by which an
/// address is verified, a password recovered and an account deleted. Of a category only what can be is switched off.
public enum UpdateNotificationPreferences: AccountOperation {
  public struct Input: Form, Hashable {
    public static let maxChoices = 200

    public var choices: [NotificationChoice]
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey { case choices }

    public init(choices: [NotificationChoice]) { self.choices = choices }

    public static let notes: Notes = [
      "choices": Note("The choices; of several for the same thing, the last one counts.", items: 1...maxChoices)
    ]
  }

  public typealias Output = NotificationPreferences

  public static let spec = OperationSpec(
    "notificationPreferences.update", of: .notifications, .patch("/v1/notification-preferences"), by: .account, effect: .write,
    requirements: ["NOT-4"], "Sets which notifications reach the caller by which channel.")
}
