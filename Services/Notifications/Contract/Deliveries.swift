public import Operations

extension FeatureContract {
  static let deliveries = FeatureContract(operations: [ListDeliveries.self, GetDeliveryStatistics.self])
}

/// The state of a notification's delivery by one channel (NOT-5).
public enum DeliveryState: String, Choice {
  /// It waits: until quiet hours end, or a moment in which it may still be read in the inbox.
  case held
  /// It is on its way, or is tried again.
  case queued
  case sent
  /// It was given up.
  case failed
  /// Nothing was sent, and nobody alerted.
  case silent
}

/// A notification's delivery by one channel, as the log has it (NOT-5).
public struct NotificationDelivery: Document, Hashable {
  public var id: ID<NotificationDelivery>
  public var channel: NotificationChannel
  public var kind: String
  public var name: String
  public var state: DeliveryState
  public var reason: String?
  public var explanation: String?
  public var notificationID: ID<Notification>?
  public var createdAt: Instant
  public var heldUntil: Instant?
  public var finishedAt: Instant?
  public var openedAt: Instant?

  public init(
    id: ID<NotificationDelivery>, channel: NotificationChannel, kind: String, name: String, state: DeliveryState,
    reason: String?, explanation: String?, notificationID: ID<Notification>?, createdAt: Instant, heldUntil: Instant?,
    finishedAt: Instant?, openedAt: Instant?
  ) {
    self.id = id
    self.channel = channel
    self.kind = kind
    self.name = name
    self.state = state
    self.reason = reason
    self.explanation = explanation
    self.notificationID = notificationID
    self.createdAt = createdAt
    self.heldUntil = heldUntil
    self.finishedAt = finishedAt
    self.openedAt = openedAt
  }

  public static let notes: Notes = [
    "id": "The delivery.", "channel": "The channel.", "kind": Note("The kind of notification.", example: "friendRequestReceived"),
    "name": "The name of that kind, in the reader's language.", "state": "Its state.",
    "reason": Note("The reason why it waits, failed or was silent: a stable name.", example: "switched_off"),
    "explanation": "The same in words, in the reader's language.",
    "notificationID": "The notification in the inbox; absent if there is none.",
    "createdAt": "When it was due to be sent.", "heldUntil": "Until when it waits; absent if it does not.",
    "finishedAt": "When it was sent, given up, or left unsent (`silent`); absent before.",
    "openedAt": "When it was read in the inbox, or the push was opened; never known of e-mails.",
  ]
}

/// The log of what was delivered to an account in the last 90 days, newest first (NOT-5).
///
/// A page may have fewer items than asked for, even none, though there are more: each page scans a bounded number of deliveries, and
/// `nextCursor` continues after them.
public enum ListDeliveries: AccountOperation {
  /// How many days the account's owner can look back, where so much is kept.
  public static let days = 90

  public struct Input: ListInput {
    public var channel: NotificationChannel?
    public var state: DeliveryState?
    public var limit: Int?
    public var cursor: PageCursor?

    public init(
      channel: NotificationChannel? = nil, state: DeliveryState? = nil, limit: Int? = nil, cursor: PageCursor? = nil
    ) {
      self.channel = channel
      self.state = state
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["channel": "Only those by this channel.", "state": "Only those that stand there."])
  }

  public typealias Output = Page<NotificationDelivery>

  public static let spec = OperationSpec(
    "notificationDeliveries.list", of: .notifications, .get("/v1/notification-deliveries"), by: .account, effect: .read,
    requirements: ["NOT-5"],
    """
    Lists what was delivered to the caller in the last 90 days, and by which channel, newest first. A page may hold fewer deliveries \
    than requested though `nextCursor` leads to more.
    """)
}

/// How many deliveries by one channel came to one end (NOT-5).
public struct DeliveryStatistic: Document, Hashable {
  public var channel: NotificationChannel
  public var kind: String
  /// A ``DeliveryState``, or `opened`.
  public var outcome: String
  public var reason: String?
  public var count: Int

  public init(channel: NotificationChannel, kind: String, outcome: String, reason: String?, count: Int) {
    self.channel = channel
    self.kind = kind
    self.outcome = outcome
    self.reason = reason
    self.count = count
  }

  public static let notes: Notes = [
    "channel": "The channel.", "kind": Note("The kind of notification.", example: "messageReceived"),
    "outcome": Note("`sent`, `failed`, `silent`, `held` (at first) or `opened`.", example: "sent"),
    "reason": Note("The reason; absent if there is none.", example: "switched_off"), "count": "The number of deliveries.",
  ]
}

/// What was delivered to everybody, in figures (NOT-5).
public enum GetDeliveryStatistics: AccountOperation {
  public struct Input: Document, Hashable {
    public var days: Int?

    public init(days: Int? = nil) { self.days = days }

    public static let notes: Notes = ["days": Note("The number of days, including today; 7 if absent.", range: 1...366)]
  }

  public struct Output: Document, Hashable {
    public var figures: [DeliveryStatistic]
    public var waiting: [DeliveryStatistic]

    public init(figures: [DeliveryStatistic], waiting: [DeliveryStatistic]) {
      self.figures = figures
      self.waiting = waiting
    }

    public static let notes: Notes = [
      "figures": "The outcomes of deliveries on those days.",
      "waiting": "The deliveries held or queued now; counted up to 100,000.",
    ]
  }

  public static let spec = OperationSpec(
    "notificationDeliveries.getStatistics", of: .notifications, .get("/v1/notification-deliveries/statistics"),
    by: .administrator, effect: .read, requirements: ["NOT-5"],
    "Counts the deliveries to all accounts by channel, kind and outcome.")
}
