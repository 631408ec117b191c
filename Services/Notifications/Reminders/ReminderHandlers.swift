import ActivityContract
import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Reminders: read and answered, by the token of a link or from the inbox.
struct ReminderHandlers: Sendable {
  let links: ReminderLinks
  let dispatch: DeliveryDispatch

  @Sendable
  func get(_ input: ReminderToken, _ call: OpenCall, _ database: Database) throws -> AnswerableReminder {
    let found = try find(input.token, in: database).reminder
    let username = try username(of: found, at: call.now, in: database)
    guard found.answer != nil || call.now < found.endsAt else { throw ReminderFailure.isOver }
    return AnswerableReminder(found, username)
  }

  @Sendable
  func answerByLink(
    _ input: AnswerReminderByLink.Input, _ call: OpenCall, _ transaction: Transaction
  ) throws -> AnswerableReminder {
    let (found, device) = try find(input.token, in: transaction.database)
    return try answer(found, input.answer, input.minutes, on: device, transaction)
  }

  @Sendable
  func answer(_ input: AnswerReminder.Input, _ call: AccountCall, _ transaction: Transaction) throws -> AnswerableReminder {
    let database = transaction.database
    if let found = try ReminderStore.find(shown: input.notificationID, of: call.account, in: database) {
      return try answer(found, input.answer, input.minutes, on: nil, transaction)
    }
    guard try InboxStore.content(of: input.notificationID, call.account, in: database) != nil else {
      throw Failure(RequestFailure.notFound)
    }
    throw ReminderFailure.notFound
  }

  private func find(
    _ token: String, in database: Database
  ) throws -> (reminder: ReminderStore.Sent, device: ID<PushSubscription>?) {
    guard let named = links.read(token), let found = try ReminderStore.find(named.reminder, in: database) else {
      throw ReminderFailure.notFound
    }
    return (found, named.device)
  }

  /// Whose it is, and that they may do anything at all.
  private func username(of found: ReminderStore.Sent, at now: Instant, in database: Database) throws -> Username {
    guard let known = try Accounts.find(found.account, in: database), !known.isSuspended(at: now) else {
      throw ReminderFailure.notFound
    }
    return known.username
  }

  /// Uses a reminder up and publishes the answer; the same answer again changes nothing. Other devices are told that it is no longer
  /// current.
  ///
  /// - Parameter device: the device on which it was answered; nil where it was not pushed to that device.
  private func answer(
    _ found: ReminderStore.Sent, _ reply: ReminderReply, _ minutes: Int?, on device: ID<PushSubscription>?,
    _ transaction: Transaction
  ) throws -> AnswerableReminder {
    var found = found
    let username = try username(of: found, at: transaction.now, in: transaction.database)
    if let earlier = found.answer {
      guard earlier == reply else { throw ReminderFailure.answered }
      return AnswerableReminder(found, username)
    }
    guard transaction.now < found.endsAt else { throw ReminderFailure.isOver }
    found.answer = reply
    if reply == .again { found.remindAt = transaction.now.adding(seconds: (minutes ?? ReminderDelay.usual[0]) * 60) }
    try ReminderStore.answer(found.id, reply, remindAt: found.remindAt, transaction)
    try dispatch.retract(.reminders(of: found.activity, found.day, of: found.account), answeredOn: device, transaction)
    try transaction.publish(
      ReminderAnswered(
        accountID: found.account, reminderID: found.id, activityID: found.activity, day: found.day, time: found.time,
        answer: reply, remindAt: found.remindAt))
    return AnswerableReminder(found, username)
  }
}

extension AnswerableReminder {
  fileprivate init(_ found: ReminderStore.Sent, _ username: Username) {
    self.init(
      title: found.title, day: found.day, time: found.time, username: username, answer: found.answer, remindAt: found.remindAt)
  }
}
