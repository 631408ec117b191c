import ActivityContract
import GRDB
import Operations
import Storage

extension ActivityStore {
  /// Marks the archive's own pauses, so that they are distinct from those that the account made.
  static func archiveMigration(_ number: Int) -> Migration {
    Migration(number, "the archive's own pauses") { database in
      try database.execute(
        sql: """
          ALTER TABLE activity_pauses ADD COLUMN is_archive INTEGER NOT NULL DEFAULT 0 CHECK (is_archive IN (0, 1));
          CREATE UNIQUE INDEX activity_pauses_of_archive ON activity_pauses (activity_id) WHERE is_archive = 1;
          -- A pause that was changed or deleted like any other exists again.
          DELETE FROM activity_pauses WHERE last_day = \(archiveEnd.daysSinceEpoch) AND first_day =
            (SELECT archived_day FROM activities WHERE activities.activity_id = activity_pauses.activity_id);
          INSERT INTO activity_pauses (pause_id, activity_id, first_day, last_day, is_archive)
          SELECT randomblob(16), activity_id, archived_day, \(archiveEnd.daysSinceEpoch), 1
          FROM activities WHERE archived_day IS NOT NULL;
          """)
    }
  }

  /// The last day that exists: an archived activity is paused until then.
  private static let archiveEnd = PlannableDays.all.upperBound

  /// Archives the account's activity: it is paused from today on, in addition to other pauses, present or future.
  static func archive(
    _ id: ActivityID, of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws -> Activity {
    let before = try find(id, of: account, in: transaction.database)
    guard !before.isArchived else { return before }
    try transaction.database.run("UPDATE activities SET archived_day = ? WHERE activity_id = ?", .day(today), .id(id))
    try PauseStore.keep(
      Pause(id: PauseID(), activityID: id, firstDay: today, lastDay: archiveEnd, isArchive: true), transaction)
    try ReminderStore.withdraw(id, ActivityVersionStore.allDays, of: account, transaction)
    return try touch(id, of: account, transaction)
  }

  /// Takes the account's activity out of the archive: it continues today, and the archived days remain paused, as ordinary pauses. The
  /// account's own pauses stay as they were made.
  static func unarchive(
    _ id: ActivityID, of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws -> Activity {
    let before = try find(id, of: account, in: transaction.database)
    guard before.isArchived else { return before }
    let pauses = try PauseStore.list(of: id, in: transaction.database)
    for archive in pauses where archive.isArchive {
      try PauseStore.delete(archive, transaction)
      for days in ArchiveRules.rest(from: archive.firstDay, until: today, beside: pauses.filter { !$0.isArchive }) {
        try PauseStore.keep(
          Pause(id: PauseID(), activityID: id, firstDay: days.lowerBound, lastDay: days.upperBound), transaction)
      }
    }
    try transaction.database.run("UPDATE activities SET archived_day = NULL WHERE activity_id = ?", .id(id))
    try MovementTieStore.takeUp(today...today, id, of: account, today: today, transaction)
    return try touch(id, of: account, transaction)
  }
}
