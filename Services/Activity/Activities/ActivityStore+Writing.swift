import ActivityContract
import GRDB
import Operations
import Storage

extension ActivityStore {
  /// Updates the account's activity and publishes it; without a change nothing is written or published. Invalid fields of the edit are
  /// reported before a conflict with another edit.
  static func update(
    _ input: UpdateActivity.Input, of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws -> Activity {
    let database = transaction.database
    let before = try find(input.activityID, of: account, in: database)
    let versions = try ActivityVersionStore.list(of: before.id, in: database)
    let begun = try ActivityVersionStore.begun(before.id, from: today, in: database)
    let excess = try input.reminders.value.flatMap {
      try ReminderStore.excess($0.canonical, of: account, for: before, in: database)
    }
    let recorded = try ActivityVersionStore.recorded(before.id, in: database)
    let after = try before.edited(by: input, recorded: recorded, excess: excess) { terms in
      VersionRules.putOff(versions, to: terms, today: today, begun: begun)
    }
    if let revision = input.revision, revision != before.revision {
      throw ActivityFailure.changedMeanwhile.with(["revision": .number(before.revision)])
    }
    guard after != before else { return before }
    try database.cachedStatement(
      sql: "UPDATE activities SET title = ?, title_key = ?, reason = ?, category = ? WHERE activity_id = ?"
    ).execute(arguments: [after.title, TitleKey.text(after.title), after.reason, after.category, after.id])
    if after.reminders != before.reminders { try keep(after.reminders, of: after.id, transaction) }
    if after.tags != before.tags { try keep(after.tags, of: after.id, transaction) }
    try ActivityVersionStore.change(after.id, of: account, to: after.terms, today: today, transaction)
    if after.tie != before.tie {
      try MovementTieStore.set(after.tie, after.id, of: account, today: today, transaction)
    } else if after.tie != nil, after.terms != before.terms {
      try MovementTieStore.recountRecentDays(after.id, of: account, today: today, transaction)
    }
    if try after.reminders.isEmpty || !goal(after.id, of: account, on: today, today: today, in: database).isPlanned {
      try ReminderStore.withdraw(after.id, today...today, of: account, transaction)
    }
    return try touch(after.id, of: account, transaction)
  }

  /// Deletes the account's activity with everything that belongs to it, and publishes that.
  ///
  /// - Returns: whether some of its rows remain to be removed later; see ``DeletedActivityStore``.
  static func delete(_ id: ActivityID, of account: AccountID, _ transaction: Transaction) throws -> Bool {
    try require(id, of: account, in: transaction.database)
    try ReminderStore.withdraw(id, ActivityVersionStore.allDays, of: account, transaction)
    let isLeft = try DeletedActivityStore.begin(id, of: account, transaction)
    try transaction.publish(ActivityDeleted(accountID: account, activityID: id))
    return isLeft
  }

  /// Increments the revision and publishes the activity as it is now.
  static func touch(_ id: ActivityID, of account: AccountID, _ transaction: Transaction) throws -> Activity {
    try transaction.database.run(
      "UPDATE activities SET revision = revision + 1, changed_at = ? WHERE activity_id = ?", .instant(transaction.now), .id(id))
    let activity = try find(id, of: account, in: transaction.database)
    try transaction.publish(ActivityChanged(accountID: account, activity: activity))
    return activity
  }

  /// Replaces the reminders. Existing ones that stay keep their state, so that a time which has come today does not come again.
  static func keep(_ reminders: [ReminderTime], of id: ActivityID, _ transaction: Transaction) throws {
    let kept = reminders.map { String($0.minutes) }.joined(separator: ", ")
    try transaction.database.execute(
      sql: "DELETE FROM activity_reminders WHERE activity_id = ? AND minute NOT IN (\(kept))", arguments: [id])
    for reminder in reminders {
      try transaction.database.run(
        "INSERT INTO activity_reminders (activity_id, minute) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(id),
        .number(reminder.minutes))
    }
  }

  /// Replaces the tags.
  static func keep(_ tags: [Tag], of id: ActivityID, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM activity_tags WHERE activity_id = ?", .id(id))
    for tag in tags {
      try transaction.database.run(
        "INSERT INTO activity_tags (activity_id, tag) VALUES (?, ?)", .id(id), .text(tag.description))
    }
  }
}

extension Activity {
  /// The goal, schedule, start day and end day.
  var terms: ActivityTerms { ActivityTerms(goal: goal, schedule: schedule, startDay: startDay, endDay: endDay) }
}
