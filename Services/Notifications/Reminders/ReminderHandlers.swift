import ActivityContract
import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Reminders: read and answered, by the token of a link or from the inbox.
struct ReminderHandlers: Sendable {
  let links: ReminderLinks

  @Sendable
  func read(_ input: ReminderToken, _ call: OpenCall, _ database: Database) throws -> AnswerableReminder {
    let found = try find(input.token, in: database)
    let username = try username(of: found, at: call.now, in: database)
    guard found.answer != nil || call.now < found.endsAt else { throw ReminderFailure.isOver }
    return AnswerableReminder(found, username)
  }

  @Sendable
  func use(_ input: UseReminder.Input, _ call: OpenCall, _ transaction: Transaction) throws -> AnswerableReminder {
    let found = try find(input.token, in: transaction.database)
    return try answer(found, input.answer, input.minutes, transaction)
  }

  @Sendable
  func answer(_ input: AnswerReminder.Input, _ call: AccountCall, _ transaction: Transaction) throws -> AnswerableReminder {
    let database = transaction.database
    if let found = try ReminderStore.find(shown: input.notificationID, of: call.account, in: database) {
      return try answer(found, input.answer, input.minutes, transaction)
    }
    guard try InboxStore.content(of: input.notificationID, call.account, in: database) != nil else {
      throw Failure(RequestFailure.notFound)
    }
    throw ReminderFailure.notFound
  }

  private func find(_ token: String, in database: Database) throws -> ReminderStore.Sent {
    guard let id = links.read(token), let found = try ReminderStore.find(id, in: database) else {
      throw ReminderFailure.notFound
    }
    return found
  }

  /// Whose it is, and that they may do anything at all.
  private func username(of found: ReminderStore.Sent, at now: Instant, in database: Database) throws -> Username {
    guard let known = try Accounts.find(found.account, in: database), !known.isSuspended(at: now) else {
      throw ReminderFailure.notFound
    }
    return known.username
  }

  /// Uses a reminder up and publishes the answer; the same answer again changes nothing.
  private func answer(
    _ found: ReminderStore.Sent, _ reply: ReminderReply, _ minutes: Int?, _ transaction: Transaction
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
    try ReminderStore.retract("\(found.activity)/\(found.day)", of: found.account, transaction)
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
