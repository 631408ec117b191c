import ActivityContract
import GRDB
import IdentityContract
import Images
import Operations
import ServiceKit
import Storage

/// The entries of all activities: at most one per day, as the primary key enforces.
enum EntryStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "entries") { database in
      try database.execute(
        sql: """
          CREATE TABLE entries (
            activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
            day INTEGER NOT NULL,
            -- in the unit of the activity's goal_target
            progress INTEGER NOT NULL CHECK (progress >= 0),
            is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
            recorded_at INTEGER NOT NULL,
            PRIMARY KEY (activity_id, day)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// The entry of a day; nil where nothing was recorded.
  static func find(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> StoredEntry? {
    let found = try database.first(
      """
      SELECT progress, recorded_at, comment, photo_tag, progress_at, progress_change, progress_device,
        previous_progress, previous_at, EXISTS (SELECT 1 FROM entry_places WHERE activity_id = ?1 AND day = ?2)
      FROM entries WHERE activity_id = ?1 AND day = ?2
      """, .id(activity), .day(day)
    ) { columns in
      (
        entry: StoredEntry(
          progress: columns.number(0), progressStamp: try WriteStamp(columns, 4),
          comment: columns.isNull(2) ? nil : columns.text(2), photoTag: columns.isNull(3) ? nil : columns.text(3),
          recordedAt: columns.instant(1),
          previous: columns.isNull(7) ? nil : .init(progress: columns.number(7), at: columns.instant(8))),
        hasPlace: columns.truth(9)
      )
    }
    guard var entry = found?.entry else { return nil }
    if found?.hasPlace == true { entry.location = try EntryPlaceStore.find(activity, day, in: database) }
    return entry
  }

  /// Applies a rule to the progress of a day and publishes the result; without a change nothing is written or published. The previous
  /// progress goes into the entry's history.
  ///
  /// - Parameter rule: takes the progress as it was, nil where none was written, and returns what it is to be, nil where that stays so.
  /// - Returns: the entry; where there is none, how the day stands, which is not kept.
  /// - Throws: ``EntryFailure`` where the day is none on which to write, and what the rule throws.
  static func change(
    _ goal: PlannedGoal, of account: AccountID, today: LocalDay, _ transaction: Transaction,
    by rule: (GoalMeasure, Int?) throws -> Int?
  ) throws -> StoredEntry {
    try goal.requireOpen(today: today)
    let (activity, day, database) = (goal.activity, goal.day, transaction.database)
    let before = try find(activity, day, in: database)
    var after = before ?? StoredEntry(recordedAt: transaction.now)
    guard let progress = try rule(goal.measure, before.flatMap { $0.progressStamp == nil ? nil : $0.progress }) else {
      return after
    }
    if after.progressStamp != nil, after.progress == progress { return after }
    after.progress = progress
    after.progressStamp = WriteStamp(transaction.now)
    after.recordedAt = transaction.now
    let (isDone, closing) = (goal.isDone(progress), goal.closing(progress))
    if let before {
      after.previous = try EntryChangeStore.lose(before, of: activity, day, transaction)
      try database.run(
        """
        UPDATE entries SET progress = ?3, is_done = ?4, recorded_at = ?5, progress_at = ?5, progress_change = NULL,
          progress_device = NULL, previous_progress = ?6, previous_at = ?7, closes_at = ?8
        WHERE activity_id = ?1 AND day = ?2
        """, .id(activity), .day(day), .number(progress), .truth(isDone), .instant(transaction.now),
        after.previous.map { .number($0.progress) } ?? .null, after.previous.map { .instant($0.at) } ?? .null, closing)
    } else {
      try database.run(
        """
        INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, progress_at, closes_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
        """, .id(activity), .day(day), .id(account), .number(progress), .truth(isDone), .instant(transaction.now), closing)
    }
    try publish(progress, goal, of: account, transaction)
    return after
  }

  /// Lets a write of now count: of what it says of the entry nothing is later.
  ///
  /// - Parameters:
  ///   - entry: the day's as it is, nil where there is none.
  ///   - picture: what the write's photo names.
  ///   - instant: when it was decided, if not now.
  /// - Returns: the entry as it is then.
  @discardableResult
  static func write(
    _ write: EntryWrite, picture: Picture? = nil, over entry: StoredEntry?, _ goal: PlannedGoal, of account: AccountID,
    at instant: Instant? = nil, _ transaction: Transaction
  ) throws -> StoredEntry? {
    let before = try EntryRegisters.load(entry, goal.activity, goal.day, in: transaction.database)
    var after = before
    let (_, lost) = after.merge(write, at: WriteStamp(instant ?? transaction.now), isLast: true)
    return try after.save(over: before, of: entry, losing: lost, goal, of: account, picture: picture, transaction)
  }

  /// Writes an entry's details besides its progress; checks that the day may be written and that the needed consent exists.
  static func writeDetails(
    _ details: EntryWrite, picture: Picture? = nil, over entry: StoredEntry, _ goal: PlannedGoal, of account: AccountID,
    today: LocalDay, _ transaction: Transaction
  ) throws -> Entry {
    try goal.requireOpen(to: details, today: today)
    if details.location.value != nil { try Accounts.requireConsent(.location, of: account, in: transaction.database) }
    if details.isEmpty { return entry.entry(of: goal) }
    guard let after = try write(details, picture: picture, over: entry, goal, of: account, transaction) else {
      throw EntryFailure.notFound
    }
    return after.entry(of: goal)
  }

  /// The entry of a day.
  ///
  /// - Throws: `entry_not_found` where nothing was recorded.
  static func required(_ goal: PlannedGoal, in database: Database) throws -> StoredEntry {
    guard let entry = try find(goal.activity, goal.day, in: database) else { throw EntryFailure.notFound }
    return entry
  }

  /// Publishes a day's progress; nil where its entry was deleted.
  ///
  /// - Parameter recordedAt: when it was written, if not now.
  static func publish(
    _ progress: Int?, _ goal: PlannedGoal, of account: AccountID, recordedAt: Instant? = nil, _ transaction: Transaction
  ) throws {
    let isDone = progress.map(goal.isDone) ?? false
    if isDone { try ReminderStore.withdraw(goal.activity, goal.day...goal.day, of: account, transaction) }
    try transaction.publish(
      EntryRecorded(
        accountID: account, activityID: goal.activity, day: goal.day, isDone: isDone,
        isDeleted: progress == nil, amount: progress.flatMap(goal.measure.amount),
        durationSeconds: progress.flatMap(goal.measure.durationSeconds), recordedAt: recordedAt ?? transaction.now))
  }

  /// The progress of each day that has an entry, oldest first.
  static func progress(
    of activity: ActivityID, from first: LocalDay = ActivityVersionStore.beginning,
    to last: LocalDay = LocalDay(daysSinceEpoch: .max), in database: Database
  ) throws -> [DayProgress] {
    let statement = try database.cachedStatement(
      sql: "SELECT day, progress FROM entries WHERE activity_id = ? AND day BETWEEN ? AND ? ORDER BY day")
    var found: [DayProgress] = []
    let rows = try Row.fetchCursor(statement, arguments: [activity, first, last])
    while let row = try rows.next() { found.append(DayProgress(day: row[0], progress: row[1])) }
    return found
  }

  /// All entries as events, after the key `<activity>/<day>`; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(separator: "/").map(String.init) ?? []
    let activity = try pieces.first.map(ActivityID.init(text:)) ?? .placeholder
    let day = try pieces.count == 2 ? LocalDay(text: pieces[1]) : .placeholder
    var events: [EntryRecorded] = []
    try database.each(
      """
      SELECT entries.account_id, entries.activity_id, entries.day, entries.is_done, entries.progress, entries.recorded_at,
        activity_versions.goal_kind
      FROM entries JOIN activity_versions ON activity_versions.activity_id = entries.activity_id
        AND activity_versions.from_day = (SELECT max(from_day) FROM activity_versions AS latest
          WHERE latest.activity_id = entries.activity_id AND latest.from_day <= entries.day)
      WHERE (entries.activity_id, entries.day) > (?, ?) ORDER BY entries.activity_id, entries.day LIMIT ?
      """, .id(activity), .day(day), .number(SnapshotParts.pageSize)
    ) { row in
      let (measure, progress) = (GoalMeasure(kind: try row.choice(6), target: 1), row.number(4))
      events.append(
        EntryRecorded(
          accountID: try row.id(0), activityID: try row.id(1), day: row.day(2), isDone: row.truth(3), isDeleted: false,
          amount: measure.amount(progress), durationSeconds: measure.durationSeconds(progress), recordedAt: row.instant(5)))
      return true
    }
    return SnapshotParts.page(events, of: events) { "\($0.activityID)/\($0.day)" }
  }
}
