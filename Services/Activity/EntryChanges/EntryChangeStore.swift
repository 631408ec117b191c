public import ActivityContract
public import GRDB
import Operations
import ServiceKit
import Storage

/// Writes of entries that do not count any more, kept so that nothing is lost silently and the last write can be undone.
///
/// Online writes are the hot path. What one replaces waits in the entry's own row until the next write: so overwriting a day needs no
/// second row, and a program that writes many times in a tenth of a second leaves only one. See ``lose(_:of:_:_:)``.
enum EntryChangeStore {
  /// How many of an entry's latest lost writes are kept at least: several times what one batch of offline changes can lose.
  static let kept = 2000
  /// Older lost writes are deleted in groups of this size: deleting one with each write would double the number of writes.
  static let deletedTogether = 32
  /// A value that was written online and replaced within this time is kept only as the last one before the present value. People do not tap
  /// that fast: each tap remains a step that can be undone.
  static let briefMilliseconds: Int64 = 100

  /// A stored lost write.
  struct Kept {
    let step: Int
    let firstStep: Int
    let write: LostWrite
    let lostAt: Instant
  }

  /// Keeps the value that an online write replaces.
  ///
  /// - Returns: the value that is to wait in the entry's row.
  static func lose(
    _ before: StoredEntry, of activity: ActivityID, _ day: LocalDay, _ transaction: Transaction
  ) throws -> StoredEntry.Previous? {
    guard let stamp = before.progressStamp else { return before.previous }
    if let previous = before.previous, stamp.change != nil || !previous.wasBrief(until: stamp.at) {
      try keep([previous.lost], of: activity, day, at: stamp.at, transaction)
    }
    guard stamp.change == nil else {
      let lost = LostWrite(value: .progress(before.progress), stamp: stamp, cause: .overwritten)
      try keep([lost], of: activity, day, at: transaction.now, transaction)
      return nil
    }
    return StoredEntry.Previous(progress: before.progress, at: stamp.at)
  }

  /// Moves the value that waits in the entry's row into its history, before anything else is added there.
  ///
  /// - Parameter entry: the stored entry; nil where there is none.
  static func settle(
    _ entry: StoredEntry?, _ activity: ActivityID, _ day: LocalDay, _ transaction: Transaction
  ) throws {
    guard let entry, let previous = entry.previous else { return }
    try keep([previous.lost], of: activity, day, at: entry.progressStamp?.at ?? transaction.now, transaction)
    try transaction.database.run(
      "UPDATE entries SET previous_progress = NULL, previous_at = NULL WHERE activity_id = ? AND day = ?", .id(activity),
      .day(day))
  }

  /// Stores writes that were lost together.
  static func keep(
    _ lost: [LostWrite], of activity: ActivityID, _ day: LocalDay, at lostAt: Instant, _ transaction: Transaction
  ) throws {
    guard !lost.isEmpty else { return }
    let database = transaction.database
    let last = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT max(step) FROM entry_changes WHERE activity_id = ? AND day = ?"),
      arguments: [activity, day])
    let first = (last ?? 0) + 1
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO entry_changes (activity_id, day, step, first_step, field, progress, comment, latitude, longitude, accuracy_meters,
          photo_tag, written_at, change_id, device_id, cause, lost_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for (index, write) in lost.enumerated() {
      let (progress, comment, location, photo) = write.value.columns
      try statement.execute(arguments: [
        activity, day, first + index, first, write.value.field, progress, comment, location?.latitude, location?.longitude,
        location?.accuracyMeters, photo, write.stamp.at, write.stamp.change?.id, write.stamp.change?.device, write.cause,
        lostAt,
      ])
      try prune(activity, day, last: first + index, in: database)
    }
  }

  private static func prune(_ activity: ActivityID, _ day: LocalDay, last: Int, in database: Database) throws {
    guard last > kept, last % deletedTogether == 0 else { return }
    try database.run(
      "DELETE FROM entry_changes WHERE activity_id = ? AND day = ? AND step <= ?", .id(activity), .day(day), .number(last - kept))
  }

  /// A page of an entry's lost writes, newest first.
  static func list(
    of goal: PlannedGoal, _ page: PageRequest, in database: Database
  ) throws -> Page<EntryChange> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM entry_changes WHERE activity_id = ? AND day = ? AND step < ? ORDER BY step DESC LIMIT ?")
    let before = try page.before
    var rows = try Row.fetchAll(statement, arguments: [goal.activity, goal.day, before, page.fetchLimit]).map(Kept.init)
    if before == .max, let entry = try EntryStore.find(goal.activity, goal.day, in: database), let previous = entry.previous {
      let step = (rows.first?.step ?? 0) + 1
      rows.insert(
        Kept(step: step, firstStep: step, write: previous.lost, lostAt: entry.progressStamp?.at ?? entry.recordedAt), at: 0)
    }
    return page.page(of: rows, key: \.step) { EntryChange($0, goal.measure) }
  }

  /// Returns the write that the effective write of a field replaced; nil where there was none, or where a deletion came in between.
  static func overwritten(_ field: EntryField, of activity: ActivityID, _ day: LocalDay, in database: Database) throws -> Kept? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM entry_changes WHERE activity_id = ? AND day = ? AND field = ? AND cause IN ('overwritten', 'deleted')
        ORDER BY step DESC LIMIT 1
        """)
    let last = try Row.fetchOne(statement, arguments: [activity, day, field]).map(Kept.init)
    return last?.write.cause == .overwritten ? last : nil
  }

  /// Returns the writes that the last deletion took away and that were not restored.
  static func deletedLast(of activity: ActivityID, _ day: LocalDay, in database: Database) throws -> [Kept] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM entry_changes WHERE activity_id = ?1 AND day = ?2 AND cause = 'deleted' AND first_step = (
          SELECT first_step FROM entry_changes WHERE activity_id = ?1 AND day = ?2 AND cause = 'deleted'
          ORDER BY step DESC LIMIT 1)
        """)
    return try Row.fetchAll(statement, arguments: [activity, day]).map(Kept.init)
  }

  /// Removes lost writes that count again.
  static func remove(_ kept: [Kept], of activity: ActivityID, _ day: LocalDay, in database: Database) throws {
    for step in kept.map(\.step) {
      try database.run(
        "DELETE FROM entry_changes WHERE activity_id = ? AND day = ? AND step = ?", .id(activity), .day(day), .number(step))
    }
  }

  /// Marks lost writes that an undo could not restore: no further undo restores them either.
  static func passBy(_ kept: [Kept], of activity: ActivityID, _ day: LocalDay, in database: Database) throws {
    for step in kept.map(\.step) {
      try database.run(
        "UPDATE entry_changes SET cause = 'undone' WHERE activity_id = ? AND day = ? AND step = ?", .id(activity), .day(day),
        .number(step))
    }
  }

  /// Forgets all lost writes of an entry.
  static func forget(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws {
    try database.run(
      "UPDATE entries SET previous_progress = NULL, previous_at = NULL WHERE activity_id = ? AND day = ?", .id(activity),
      .day(day))
    try database.run("DELETE FROM entry_changes WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
  }
}

extension StoredEntry.Previous {
  fileprivate var lost: LostWrite { LostWrite(value: .progress(progress), stamp: WriteStamp(at), cause: .overwritten) }

  fileprivate func wasBrief(until end: Instant) -> Bool {
    end.milliseconds - at.milliseconds < EntryChangeStore.briefMilliseconds
  }
}

extension EntryChangeStore.Kept {
  init(_ row: Row) throws {
    let location: EntryLocation? = (row["latitude"] as Double?).map {
      EntryLocation(latitude: $0, longitude: row["longitude"], accuracyMeters: row["accuracy_meters"])
    }
    let field: EntryField = row["field"]
    let value: LostWrite.Value =
      switch field {
      case .progress: .progress(row["progress"])
      case .comment: .comment(row["comment"])
      case .location: .location(location)
      case .photo: .photo(row["photo_tag"])
      case .entry: .deletion
      }
    self.init(
      step: row["step"], firstStep: row["first_step"],
      write: LostWrite(value: value, stamp: WriteStamp(row), cause: row["cause"]), lostAt: row["lost_at"])
  }
}

extension WriteStamp {
  /// Creates a stamp from the columns that all tables with stamps have.
  init(_ row: Row) {
    self.init(row["written_at"], (row["change_id"] as ChangeID?).map { ChangeName(id: $0, device: row["device_id"]) })
  }
}

extension WriteStamp {
  /// Creates a stamp from three columns, starting at the given one; nil where the first is null.
  init?(_ columns: Columns, _ first: Int32) throws {
    guard !columns.isNull(first) else { return nil }
    var change: ChangeName?
    if !columns.isNull(first + 1) {
      change = ChangeName(id: try ChangeID(text: columns.text(first + 1)), device: try DeviceID(text: columns.text(first + 2)))
    }
    self.init(columns.instant(first), change)
  }
}

extension EntryChange {
  fileprivate init(_ kept: EntryChangeStore.Kept, _ measure: GoalMeasure) {
    let stamp = kept.write.stamp
    self.init(
      number: kept.step, field: kept.write.value.field, madeAt: stamp.at, changeID: stamp.change?.id,
      deviceID: stamp.change?.device, cause: kept.write.cause, lostAt: kept.lostAt)
    switch kept.write.value {
    case .progress(let progress):
      isDone = measure.kind == .check ? measure.isDone(progress, isOver: false) : nil
      amount = measure.amount(progress)
      durationSeconds = measure.durationSeconds(progress)
    case .comment(let text): comment = text
    case .location(let place): location = place
    case .photo(let tag): photoTag = tag
    case .deletion: break
    }
  }
}

extension LostWrite.Value {
  fileprivate var columns: (progress: Int?, comment: String?, location: EntryLocation?, photo: String?) {
    switch self {
    case .progress(let progress): (progress, nil, nil, nil)
    case .comment(let comment): (nil, comment, nil, nil)
    case .location(let location): (nil, nil, location, nil)
    case .photo(let tag): (nil, nil, nil, tag)
    case .deletion: (nil, nil, nil, nil)
    }
  }
}

extension EntryField: DatabaseValueConvertible {}
extension EntryChange.Cause: DatabaseValueConvertible {}
extension ClientMadeID: DatabaseValueConvertible {}
