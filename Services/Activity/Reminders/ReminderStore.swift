import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// When each time of each activity is due next, the earliest first.
///
/// A row becomes due every day, whether or not the activity is planned: that is decided when it is due, so that a change of a plan, pause
/// or skip need not move it. It is computed again where the account changes how it counts its days.
enum ReminderStore {
  /// How many rows are processed in one transaction.
  static let batch = 50
  /// Reminders that were due longer ago than this are dropped.
  private static let longestLookBackSeconds = 7 * 86_400

  /// A due row, with the data of its activity and account.
  private struct DueRow {
    let activity: ActivityID
    let time: ReminderTime
    let isAgain: Bool
    let account: AccountID
    /// Nil where it has to be computed.
    let moment: ReminderRules.Moment?
    let afterAt: Instant
    let afterDay: LocalDay?
    let title: String
    let isArchived: Bool
    let calendar: LocalCalendar
    let isSuspended: Bool
    let hasRunningTimer: Bool
  }

  /// Rows of accounts that are being erased are ignored.
  private static let unerased = """
    NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = due_reminders.account_id)
    """

  /// When the next row is due.
  static func nextDue(in database: Database) throws -> Instant? {
    try database.first(
      "SELECT due_at FROM due_reminders WHERE due_at IS NOT NULL AND \(unerased) ORDER BY due_at LIMIT 1"
    ) { $0.instant(0) }
  }

  /// Processes the first due rows: each is published or not, and moves to its next occurrence.
  ///
  /// - Returns: how many were due.
  static func takeDue(
    _ calendars: AccountCalendars, lateSeconds: Int, _ transaction: Transaction
  ) throws -> Int {
    let rows = try due(calendars, at: transaction.now, in: transaction.database)
    for row in rows {
      guard let moment = row.moment else {
        try move(row, after: row.afterAt, lastDay: row.afterDay, transaction)
        continue
      }
      let isOver = try take(row, moment, lateSeconds: lateSeconds, transaction)
      if row.isAgain {
        try transaction.database.run(
          "DELETE FROM due_reminders WHERE activity_id = ? AND minute = ? AND is_again = 1", .id(row.activity),
          .number(row.time.minutes))
      } else if isOver {
        try transaction.database.run(
          """
          UPDATE due_reminders SET due_at = NULL, day = NULL, after_at = ?3, after_day = ?4
          WHERE activity_id = ?1 AND minute = ?2 AND is_again = 0
          """, .id(row.activity), .number(row.time.minutes), .instant(moment.dueAt), .day(moment.day))
      } else {
        try move(row, after: moment.dueAt, lastDay: moment.day, transaction)
      }
    }
    return rows.count
  }

  private static func due(
    _ calendars: AccountCalendars, at now: Instant, in database: Database
  ) throws -> [DueRow] {
    var rows: [DueRow] = []
    try database.each(
      """
      SELECT due_reminders.activity_id, minute, is_again, due_reminders.account_id, due_at, due_reminders.day,
        coalesce(after_at, activities.changed_at), after_day, activities.title, activities.archived_day IS NOT NULL,
        accounts.time_zone, accounts.day_start_hour, accounts.suspended_until, timers.running_since IS NOT NULL
      FROM due_reminders JOIN activities ON activities.activity_id = due_reminders.activity_id
        LEFT JOIN accounts ON accounts.account_id = due_reminders.account_id
        LEFT JOIN timers ON timers.activity_id = due_reminders.activity_id
      WHERE due_at <= ? AND \(unerased) ORDER BY due_at LIMIT ?
      """, .instant(now), .number(batch)
    ) { row in
      guard let time = ReminderTime(minutes: row.number(1)) else { return true }
      let dueAt = row.instant(4)
      rows.append(
        DueRow(
          activity: try row.id(0), time: time, isAgain: row.truth(2), account: try row.id(3),
          moment: row.isNull(5) ? nil : ReminderRules.Moment(day: row.day(5), dueAt: dueAt), afterAt: row.instant(6),
          afterDay: row.isNull(7) ? nil : row.day(7), title: row.text(8), isArchived: row.truth(9),
          calendar: LocalCalendar(
            calendars.zones.offsets(row.isNull(10) ? "UTC" : row.text(10)), dayStartHour: row.number(11)),
          // An unknown account counts as suspended, since it is unknown whether it may be reminded.
          isSuspended: row.isNull(10) || !row.isNull(12) && now < row.instant(12), hasRunningTimer: row.truth(13)))
      return true
    }
    return rows
  }

  /// Moves a row to its next occurrence.
  private static func move(
    _ row: DueRow, after instant: Instant, lastDay: LocalDay?, _ transaction: Transaction
  ) throws {
    let from = max(instant, transaction.now.adding(seconds: -longestLookBackSeconds))
    let next = ReminderRules.next(row.time, after: from, lastDay: lastDay, row.calendar)
    try transaction.database.run(
      """
      UPDATE due_reminders SET due_at = ?3, day = ?4, after_at = ?5, after_day = ?6
      WHERE activity_id = ?1 AND minute = ?2 AND is_again = 0
      """, .id(row.activity), .number(row.time.minutes), .instant(next.dueAt), .day(next.day), .instant(from),
      lastDay.map(Bound.day) ?? .null)
  }

  // MARK: - Deciding

  /// Publishes a reminder that is to be sent or was missed.
  ///
  /// - Returns: whether the activity needs no reminder until it is changed.
  private static func take(
    _ row: DueRow, _ moment: ReminderRules.Moment, lateSeconds: Int, _ transaction: Transaction
  ) throws -> Bool {
    let today = row.calendar.day(of: transaction.now)
    let goal = try ActivityStore.goal(
      row.activity, of: row.account, on: moment.day, today: today, in: transaction.database)
    let facts = try facts(row, goal, today: today, in: transaction)
    let decision = ReminderRules.decide(facts, dueAt: moment.dueAt, at: transaction.now, lateSeconds: lateSeconds)
    if decision != .nothing {
      try transaction.publish(
        ReminderDue(
          accountID: row.account, reminderID: ID(), activityID: row.activity, title: row.title, day: moment.day, time: row.time,
          isAgain: row.isAgain, dueAt: moment.dueAt, endsAt: ReminderRules.end(of: moment, row.calendar),
          isMissed: decision == .missed))
    }
    if decision == .send {
      try transaction.database.run(
        """
        INSERT INTO reminded_activities (activity_id, day) VALUES (?, ?)
        ON CONFLICT (activity_id) DO UPDATE SET day = excluded.day
        """, .id(row.activity), .day(moment.day))
    }
    return row.isArchived || goal.endDay.map { $0 <= moment.day } ?? false
  }

  private static func facts(
    _ row: DueRow, _ goal: PlannedGoal, today: LocalDay, in transaction: Transaction
  ) throws -> ReminderRules.Facts {
    var facts = ReminderRules.Facts(
      isPlanned: goal.isPlanned, isPaused: goal.isPaused, isSkipped: goal.isSkipped, hasRunningTimer: row.hasRunningTimer,
      isSuspended: row.isSuspended)
    guard ReminderRules.decide(facts, dueAt: transaction.now, at: transaction.now, lateSeconds: 1) == .send else {
      return facts
    }
    let database = transaction.database
    let progress = try database.first(
      "SELECT progress FROM entries WHERE activity_id = ? AND day = ?", .id(row.activity), .day(goal.day)
    ) { $0.number(0) }
    if let progress {
      // An unfinished day that is over is not missed: it can still be recorded.
      facts.outcome = goal.measure.outcome(progress, isOver: goal.measure.isLimit && goal.isOver)
    }
    if goal.planned.kind == .timesAWeek, !goal.measure.isLimit {
      let days = try AccountDays(of: row.account, row.calendar, now: transaction.now, in: database)
      let week = goal.day.monday...goal.day.sunday
      let plan = try PlanStore.find(row.activity, lostDays: days.lost, in: database)
      let kept = try EntryStore.progress(of: row.activity, from: week.lowerBound, to: week.upperBound, in: database)
      facts.isFree = plan.outcome(of: week, kept, today: today) == .kept
    }
    return facts
  }
}

/// Changes of reminders by other features.
extension ReminderStore {
  /// What is wrong with an activity's times where its account would have more than it may; nil where nothing is.
  ///
  /// - Parameter activity: the one that is to have them, with those that it has; nil for a new one.
  static func excess(
    _ reminders: [ReminderTime], of account: AccountID, for activity: Activity? = nil, in database: Database
  ) throws -> FieldRule? {
    guard !reminders.isEmpty else { return nil }
    let others = try database.first(
      "SELECT count(*) FROM due_reminders WHERE account_id = ? AND is_again = 0 AND activity_id <> ?", .id(account),
      .id(activity?.id ?? .placeholder)
    ) { $0.number(0) }
    return ReminderRules.excess(
      reminders.count, before: activity?.reminders.count ?? 0, others: others ?? 0, max: ContentLimits.current.accountReminders)
  }

  /// Marks all reminders of an account to be computed again, after it changed how it counts its days. Reminders that the owner asked to
  /// repeat keep their time. They are queued after those that are due now, whose owners wait.
  static func recheck(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE due_reminders SET due_at = ?, day = NULL WHERE account_id = ? AND is_again = 0 AND due_at IS NOT NULL",
      .instant(transaction.now), .id(account))
  }

  /// Schedules a repeated reminder; replaces an earlier one for the same time.
  static func again(
    _ activity: ActivityID, _ time: ReminderTime, on day: LocalDay, of account: AccountID, at instant: Instant,
    _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      """
      INSERT INTO due_reminders (activity_id, minute, is_again, account_id, due_at, day)
      SELECT activity_id, ?3, 1, account_id, ?4, ?5 FROM activities WHERE activity_id = ?1 AND account_id = ?2
      ON CONFLICT (activity_id, minute, is_again) DO UPDATE SET due_at = excluded.due_at, day = excluded.day
      """, .id(activity), .id(account), .number(time.minutes), .instant(instant), .day(day))
  }

  /// Withdraws the reminders of an activity for any of those days.
  static func withdraw(
    _ activity: ActivityID, _ days: ClosedRange<LocalDay>, of account: AccountID, _ transaction: Transaction
  ) throws {
    let day = try transaction.database.first(
      "DELETE FROM reminded_activities WHERE activity_id = ? AND day BETWEEN ? AND ? RETURNING day", .id(activity),
      .day(days.lowerBound), .day(days.upperBound)
    ) { $0.day(0) }
    guard let day else { return }
    try transaction.publish(ReminderWithdrawn(accountID: account, activityID: activity, day: day))
  }
}
