public import Operations

extension FeatureContract {
  static let inbox = FeatureContract(
    operations: [
      ListNotifications.self, CountUnreadNotifications.self, ListNotificationsSince.self, MarkNotificationRead.self,
      MarkAllNotificationsRead.self, DeleteNotification.self,
    ],
    events: [NotificationCreated.self, NotificationChanged.self, NotificationRemoved.self])
}

/// Something that happened to an account, in its inbox (NOT-1).
public struct Notification: Document, Hashable {
  public var id: ID<Notification>
  /// 1, 2, 3, … for each account, without gaps: by it a client knows what it has missed.
  public var number: Int
  public var kind: NotificationKind
  public var severity: NotificationSeverity
  public var title: String
  public var text: String
  public var parameters: [String: Parameter]
  public var links: NotificationLinks
  public var createdAt: Instant
  public var readAt: Instant?

  public init(
    id: ID<Notification>, number: Int, kind: NotificationKind, severity: NotificationSeverity, title: String, text: String,
    parameters: [String: Parameter], links: NotificationLinks, createdAt: Instant, readAt: Instant?
  ) {
    self.id = id
    self.number = number
    self.kind = kind
    self.severity = severity
    self.title = title
    self.text = text
    self.parameters = parameters
    self.links = links
    self.createdAt = createdAt
    self.readAt = readAt
  }

  public static let notes: Notes = [
    "id": "Id of the notification.",
    "number": Note("Its position in the account's inbox; numbers have no gaps.", range: 1...9e15),
    "kind": "What it is about.", "severity": "Its severity.",
    "title": "What happened, in a few words, in the reader's language.",
    "text": "What happened, in a sentence, in the reader's language.", "parameters": "The values in title and text.",
    "links": "The things that the notification links to.", "createdAt": "When it was created.",
    "readAt": "When it was read; absent while it is unread.",
  ]
}

/// Marks the ids of things that live in other services.
public enum Linked {}

/// What a notification leads to: only what fits its kind is there.
public struct NotificationLinks: Document, Hashable {
  public var accountID: AccountID?
  public var friendRequestID: ID<Linked>?
  public var conversationID: ID<Linked>?
  public var messageID: ID<Linked>?
  public var offerID: ID<Linked>?
  public var redemptionID: ID<Linked>?
  public var partnerID: ID<Linked>?
  public var loginAlertID: ID<Linked>?
  public var incidentID: ID<Linked>?
  public var followRequestID: ID<Linked>?
  public var importID: ID<Linked>?
  public var friendChallengeID: ID<Linked>?
  public var reportID: ID<Linked>?
  public var caseID: ID<Linked>?
  public var taskID: ID<Linked>?
  public var taskCommentID: ID<Linked>?
  public var taskHelpID: ID<Linked>?
  public var teamID: ID<Linked>?
  public var teamInvitationID: ID<Linked>?
  public var seriesID: ID<Linked>?
  public var registerLeaf: Int?
  public var registerCheckpoint: String?
  public var challengeID: ID<Linked>?
  public var activityID: ID<Linked>?
  public var reminderID: ID<Linked>?

  public init(
    accountID: AccountID? = nil, friendRequestID: ID<Linked>? = nil, conversationID: ID<Linked>? = nil,
    messageID: ID<Linked>? = nil,
    offerID: ID<Linked>? = nil, redemptionID: ID<Linked>? = nil, partnerID: ID<Linked>? = nil,
    loginAlertID: ID<Linked>? = nil, incidentID: ID<Linked>? = nil,
    followRequestID: ID<Linked>? = nil,
    importID: ID<Linked>? = nil,
    friendChallengeID: ID<Linked>? = nil,
    reportID: ID<Linked>? = nil, caseID: ID<Linked>? = nil, taskID: ID<Linked>? = nil,
    taskCommentID: ID<Linked>? = nil, taskHelpID: ID<Linked>? = nil,
    teamID: ID<Linked>? = nil, teamInvitationID: ID<Linked>? = nil, seriesID: ID<Linked>? = nil, registerLeaf: Int? = nil,
    registerCheckpoint: String? = nil, challengeID: ID<Linked>? = nil, activityID: ID<Linked>? = nil,
    reminderID: ID<Linked>? = nil
  ) {
    self.accountID = accountID
    self.friendRequestID = friendRequestID
    self.conversationID = conversationID
    self.messageID = messageID
    self.offerID = offerID
    self.redemptionID = redemptionID
    self.partnerID = partnerID
    self.loginAlertID = loginAlertID
    self.incidentID = incidentID
    self.followRequestID = followRequestID
    self.importID = importID
    self.friendChallengeID = friendChallengeID
    self.reportID = reportID
    self.caseID = caseID
    self.taskID = taskID
    self.taskCommentID = taskCommentID
    self.taskHelpID = taskHelpID
    self.teamID = teamID
    self.teamInvitationID = teamInvitationID
    self.seriesID = seriesID
    self.registerLeaf = registerLeaf
    self.registerCheckpoint = registerCheckpoint
    self.challengeID = challengeID
    self.activityID = activityID
    self.reminderID = reminderID
  }

  public static let notes: Notes = [
    "accountID": "The account that caused it.", "friendRequestID": "The friend request.", "conversationID": "The conversation.",
    "messageID": "The message.", "offerID": "The offer.", "redemptionID": "The redemption.", "partnerID": "The partner.",
    "loginAlertID": "The login alert to answer.", "incidentID": "The incident, for administrators.",
    "followRequestID": "The follow request.",
    "importID": "The import.",
    "friendChallengeID": "The challenge among friends.",
    "challengeID": "The challenge or the achievement.",
    "reportID": "The caller's report.", "caseID": "The moderators' decision against the caller.", "taskID": "The task.",
    "taskCommentID": "The comment on the task.", "taskHelpID": "The request for help, or the offer, in the task.",
    "teamID": "The team.", "teamInvitationID": "The invitation to a team.",
    "seriesID": "The recurring task.", "activityID": "The caller's activity.",
    "reminderID": "The reminder, which `reminders.answer` answers.",
    "registerLeaf": Note(
      "For a completed task: the number of the last confirmation in the register.", range: 0...9e15, example: 73_894),
    "registerCheckpoint": Note(
      "The first checkpoint that covers it, a signed note (c2sp.org/tlog-checkpoint): keep it, and nobody can change the register unseen.",
      length: 1...1_000_000, breaksLines: true),
  ]
}

/// An account's inbox, newest first (NOT-1).
///
/// A page may have fewer items than asked for, even none, though there are more: each page scans a bounded number of notifications, and
/// `nextCursor` continues after them.
public enum ListNotifications: AccountOperation {
  public struct Input: ListInput {
    public var isUnread: Bool?
    public var category: NotificationCategory?
    public var limit: Int?
    public var cursor: PageCursor?

    public init(
      isUnread: Bool? = nil, category: NotificationCategory? = nil, limit: Int? = nil, cursor: PageCursor? = nil
    ) {
      self.isUnread = isUnread
      self.category = category
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "isUnread": "Only those not read (true), or only those read (false).", "category": "Only those of that category.",
    ])
  }

  public typealias Output = Page<Notification>

  public static let spec = OperationSpec(
    "notifications.list", of: .notifications, .get("/v1/notifications"), by: .account, effect: .read,
    requirements: ["NOT-1"],
    """
    Lists the caller's notifications, newest first. A page may hold fewer notifications than requested though `nextCursor` leads \
    to more.
    """)
}

/// How many notifications of a category are not read.
public struct NotificationCount: Document, Hashable {
  public var category: NotificationCategory
  public var unreadCount: Int

  public init(category: NotificationCategory, unreadCount: Int) {
    self.category = category
    self.unreadCount = unreadCount
  }

  public static let notes: Notes = ["category": "The category.", "unreadCount": "The number of unread ones."]
}

/// How many notifications an account has not read (NOT-1).
public enum CountUnreadNotifications: AccountOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var unreadCount: Int
    public var byCategory: [NotificationCount]

    public init(unreadCount: Int, byCategory: [NotificationCount] = []) {
      self.unreadCount = unreadCount
      self.byCategory = byCategory
    }

    public static let notes: Notes = [
      "unreadCount": "The number of unread notifications.",
      "byCategory": "The number of unread notifications by category; categories without any are left out.",
    ]
  }

  public static let spec = OperationSpec(
    "notifications.countUnread", of: .notifications, .get("/v1/notifications/unread-count"), by: .account, effect: .read,
    requirements: ["NOT-1"], "Counts the caller's unread notifications.")
}

/// The notifications after a given one, oldest first: a live connection or a returning client catches up by this (NOT-1).
///
/// A client that keeps what it has seen also gives the number of the last change that it knows: the answer then includes which of those
/// notifications have changed, and which are gone, for example because another replaced them. Read notifications are removed some time
/// later, which is not reported.
///
/// A deleted notification is left out, so numbers may be missing between the items. Each call looks at a bounded number of notifications: if
/// it ends early for that, `nextAfter` says where to go on. Otherwise the client has caught up when the last item, or `after` where there is
/// none, is at `lastNumber`, or when there are fewer items than `limit`.
public enum ListNotificationsSince: AccountOperation {
  public struct Input: Document {
    public var after: Int
    public var changesAfter: Int?
    public var limit: Int?

    public init(after: Int, changesAfter: Int? = nil, limit: Int? = nil) {
      self.after = after
      self.changesAfter = changesAfter
      self.limit = limit
    }

    public static let notes: Notes = [
      "after": Note("The number of the last notification seen; 0 for none.", range: 0...9e15),
      "changesAfter": Note("The `lastChange` of the previous answer, to get the changes since then.", range: 0...9e15),
      "limit": Note("The maximum number of items and of changes; 100 if absent.", range: 1...500),
    ]
  }

  public struct Output: Document, Hashable {
    public var items: [Notification]
    public var lastNumber: Int
    public var nextAfter: Int?
    public var changed: [Notification]
    public var removed: [Int]
    public var lastChange: Int

    public init(
      items: [Notification], lastNumber: Int, nextAfter: Int? = nil, changed: [Notification] = [], removed: [Int] = [],
      lastChange: Int = 0
    ) {
      self.items = items
      self.lastNumber = lastNumber
      self.nextAfter = nextAfter
      self.changed = changed
      self.removed = removed
      self.lastChange = lastChange
    }

    public static let notes: Notes = [
      "items": "The notifications, oldest first.",
      "lastNumber": "The number of the newest notification that the account ever got; 0 for none.",
      "nextAfter": Note(
        "The number to be sent as `after` to go on, where there may be more though there are fewer items than `limit`; otherwise absent.",
        range: 1...9e15),
      "changed": "The notifications up to `after` that have changed since, as they are now.",
      "removed": Note("The numbers of the notifications up to `after` that were removed since.", range: 1...9e15),
      "lastChange":
        "The number of the last change in this answer, to be sent as `changesAfter` next time, until it stays the same.",
    ]
  }

  public static let spec = OperationSpec(
    "notifications.listSince", of: .notifications, .get("/v1/notifications/since"), by: .account, effect: .read,
    requirements: ["NOT-1"], "Lists the notifications after the last one seen, oldest first.")
}

/// Marks one notification as read (NOT-1).
public enum MarkNotificationRead: AccountOperation {
  public struct Input: Document {
    public var notificationID: ID<Notification>

    public init(notificationID: ID<Notification>) { self.notificationID = notificationID }

    public static let notes: Notes = ["notificationID": "The notification."]
  }

  public typealias Output = CountUnreadNotifications.Output

  public static let spec = OperationSpec(
    "notifications.markRead", of: .notifications, .post("/v1/notifications/{notificationID}/read"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-1"], "Marks a notification as read.")
}

/// Marks all notifications up to a number as read (NOT-1).
public enum MarkAllNotificationsRead: AccountOperation {
  public struct Input: Document {
    public var upTo: Int

    public init(upTo: Int) { self.upTo = upTo }

    public static let notes: Notes = ["upTo": Note("The number of the newest notification seen.", range: 1...9e15)]
  }

  public typealias Output = CountUnreadNotifications.Output

  public static let spec = OperationSpec(
    "notifications.markAllRead", of: .notifications, .post("/v1/notifications/read"), by: .account, effect: .write,
    requirements: ["NOT-1"], "Marks all notifications up to a number as read.")
}

/// Deletes a notification and its content (NOT-1). Deleting it again changes nothing.
public enum DeleteNotification: AccountOperation {
  public struct Input: Document {
    public var notificationID: ID<Notification>

    public init(notificationID: ID<Notification>) { self.notificationID = notificationID }

    public static let notes: Notes = ["notificationID": "The notification."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "notifications.delete", of: .notifications, .delete("/v1/notifications/{notificationID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-1"], "Deletes a notification.")
}

// MARK: - Events

/// A notification came into an account's inbox: what the gateway delivers live.
public struct NotificationCreated: Event, Hashable {
  public var accountID: AccountID
  public var number: Int
  public var notification: Notification

  public init(accountID: AccountID, number: Int, notification: Notification) {
    self.accountID = accountID
    self.number = number
    self.notification = notification
  }

  public static let notes: Notes = [
    "accountID": "The account whose inbox it is.", "number": "The notification's number.",
    "notification": "The notification as the inbox lists it, in the account's language.",
  ]

  public static let spec = EventSpec(
    "notifications.created", by: .notifications, requirements: ["NOT-1"], "A notification was added to an account's inbox.")
}

/// A notification in an account's inbox has changed, for example because the quoted message was edited or removed: the gateway delivers it
/// live, without a number of its own.
public struct NotificationChanged: Event, Hashable {
  public var accountID: AccountID
  public var number: Int
  public var notification: Notification

  public init(accountID: AccountID, number: Int, notification: Notification) {
    self.accountID = accountID
    self.number = number
    self.notification = notification
  }

  public static let notes: Notes = [
    "accountID": "The account whose inbox it is.", "number": "The notification's number, which stays the same.",
    "notification": "The notification as the inbox lists it now, in the account's language.",
  ]

  public static let spec = EventSpec(
    "notifications.changed", by: .notifications, isLive: true, requirements: ["NOT-1"],
    "A notification in an account's inbox changed.")
}

/// A notification is no longer in an account's inbox: it was deleted, withdrawn, or replaced by one under a newer number. The
/// gateway delivers it live.
public struct NotificationRemoved: Event, Hashable {
  public var accountID: AccountID
  public var number: Int

  public init(accountID: AccountID, number: Int) {
    self.accountID = accountID
    self.number = number
  }

  public static let notes: Notes = [
    "accountID": "The account whose inbox it is.", "number": "The number of the removed notification.",
  ]

  public static let spec = EventSpec(
    "notifications.removed", by: .notifications, isLive: true, requirements: ["NOT-1"],
    "A notification was removed from an account's inbox.")
}
