public import ActivityContract
public import Operations

extension FeatureContract {
  static let reminders = FeatureContract(
    operations: [GetReminder.self, AnswerReminderByLink.self, AnswerReminder.self], events: [ReminderAnswered.self])
}

/// The owner's answer to a reminder of an activity (NOT-2).
public enum ReminderReply: String, Choice {
  /// The day is done, as if its entry were written.
  case done
  /// Remind me again, some minutes later.
  case again
}

/// A reminder, as the page of its link shows it.
public struct AnswerableReminder: Document, Hashable {
  public var title: String
  public var day: LocalDay
  public var time: ReminderTime
  public var username: Username
  /// Absent while nothing was answered.
  public var answer: ReminderReply?
  /// When to remind again, where that was the answer.
  public var remindAt: Instant?

  public init(
    title: String, day: LocalDay, time: ReminderTime, username: Username, answer: ReminderReply? = nil, remindAt: Instant? = nil
  ) {
    self.title = title
    self.day = day
    self.time = time
    self.username = username
    self.answer = answer
    self.remindAt = remindAt
  }

  public static let notes: Notes = [
    "title": Note("The activity's title.", length: 1...200, example: "Drink water"),
    "day": "The local day that the reminder is about.",
    "time": "The time for which the reminder was set.", "username": "The username of the account whose activity it is.",
    "answer": "The answer; absent until there is one.",
    "remindAt": "When to remind again; absent if that was not requested.",
  ]
}

/// Ways in which a reminder cannot be answered.
public enum ReminderFailure: String, FailureCode {
  /// The link is not one of ours, or its account or activity is gone; or the notification is none of a reminder.
  case notFound = "reminder_not_found"
  /// The time for it is over, or its day is done or rests by now.
  case isOver = "reminder_over"
  /// Something else was answered already.
  case answered = "reminder_answered"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .isOver: 410
    case .answered: 409
    }
  }
}

/// The bounds of reminding again.
public enum ReminderDelay {
  /// In minutes.
  public static let bounds = 1...720
  /// What notifications offer, in minutes.
  public static let usual = [10, 30, 60]

  static let note = Note(
    "With `again`, in how many minutes; \(usual[0]) if absent.", range: 1...720, example: 30)

  /// Refuses a delay with an answer that takes none.
  static func check(_ minutes: Int?, _ answer: ReminderReply, _ fields: inout FieldChecks) {
    guard fields.areRight("answer") else { return }
    fields.expect(
      minutes == nil || answer == .again, "minutes", FieldRule("not_for_answer", ["answer": .text(answer.rawValue)]))
  }
}

/// The token of a reminder's links.
public struct ReminderToken: Document, Hashable {
  public var token: String

  public init(token: String) { self.token = token }

  public static let notes: Notes = ["token": Note("The token of the push's or the mail's link.", length: 1...200)]
}

/// Reads the reminder of a link, without answering it (NOT-2). It needs no login.
public enum GetReminder: OpenOperation {
  public typealias Input = ReminderToken
  public typealias Output = AnswerableReminder

  public static let spec = OperationSpec(
    "reminders.get", of: .notifications, .post("/v1/reminders/read"), by: .anyone, effect: .read,
    failures: ReminderFailure.allCases.map(\.kind), requirements: ["NOT-2"],
    "Returns what the link of a reminder is about, without answering it.")
}

/// Answers a reminder by the token of its push or mail (NOT-2). It needs no login.
///
/// A token belongs to one reminder, and so to one account, activity and day. It works once, until the day ends: the same answer again
/// changes nothing, and a different one is refused. Marking a day as done takes effect a moment later, by the rules of its entry: if the
/// day is done already, or can no longer be changed, nothing happens.
public enum AnswerReminderByLink: OpenOperation {
  public struct Input: Document {
    public var token: String
    public var answer: ReminderReply
    public var minutes: Int?

    public init(token: String, answer: ReminderReply, minutes: Int? = nil) {
      self.token = token
      self.answer = answer
      self.minutes = minutes
    }

    public static let notes: Notes = [
      "token": Note("The token of the push's or the mail's link.", length: 1...200), "answer": "The answer.",
      "minutes": ReminderDelay.note,
    ]

    public func check(_ fields: inout FieldChecks) { ReminderDelay.check(minutes, answer, &fields) }
  }

  public typealias Output = AnswerableReminder

  public static let spec = OperationSpec(
    "reminders.answerByLink", of: .notifications, .post("/v1/reminders/answer"), by: .anyone, effect: .write,
    failures: ReminderFailure.allCases.map(\.kind), requirements: ["NOT-2"], "Answers a reminder, by the token of its link.")
}

/// Answers a reminder in the caller's inbox (NOT-2), by the same rules as by a token.
public enum AnswerReminder: AccountOperation {
  public struct Input: Document {
    public var notificationID: ID<Notification>
    public var answer: ReminderReply
    public var minutes: Int?

    public init(notificationID: ID<Notification>, answer: ReminderReply, minutes: Int? = nil) {
      self.notificationID = notificationID
      self.answer = answer
      self.minutes = minutes
    }

    public static let notes: Notes = [
      "notificationID": "The notification of the reminder.", "answer": "The answer.", "minutes": ReminderDelay.note,
    ]

    public func check(_ fields: inout FieldChecks) { ReminderDelay.check(minutes, answer, &fields) }
  }

  public typealias Output = AnswerableReminder

  public static let spec = OperationSpec(
    "reminders.answer", of: .notifications, .post("/v1/notifications/{notificationID}/answer"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind] + ReminderFailure.allCases.map(\.kind), requirements: ["NOT-2"],
    "Answers a reminder in the caller's inbox: done, or again in some minutes.")
}

/// A reminder was answered: once, and what follows from it is the activity service's (NOT-2).
public struct ReminderAnswered: Event, Hashable {
  public var accountID: AccountID
  public var reminderID: ID<Reminder>
  public var activityID: ActivityID
  public var day: LocalDay
  public var time: ReminderTime
  public var answer: ReminderReply
  /// When to remind again, where that was answered.
  public var remindAt: Instant?

  public init(
    accountID: AccountID, reminderID: ID<Reminder>, activityID: ActivityID, day: LocalDay, time: ReminderTime,
    answer: ReminderReply, remindAt: Instant? = nil
  ) {
    self.accountID = accountID
    self.reminderID = reminderID
    self.activityID = activityID
    self.day = day
    self.time = time
    self.answer = answer
    self.remindAt = remindAt
  }

  public static let notes: Notes = [
    "accountID": "The account whose activity it is.", "reminderID": "The reminder.",
    "activityID": "The activity that it is about.",
    "day": "The day that it is about.", "time": "The time for which it was set.", "answer": "The answer.",
    "remindAt": "When to remind again; absent for other answers.",
  ]

  public static let spec = EventSpec(
    "reminders.answered", by: .notifications, requirements: ["NOT-2"], "A reminder was answered.")
}
