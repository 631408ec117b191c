public import ActivityContract
public import GRDB
import Operations
import ServiceKit
import Storage

/// What was written of entries and does not count any more: so that nothing is lost silently, a repeated change is known, and the last
/// one can be taken back.
enum EntryHistory {
  /// How many of the last lost writes of an entry are kept at least.
  static let kept = 100
  /// Older ones are deleted so many at a time: one by one each write would be two.
  static let deletedTogether = 32

  /// A lost write as it is kept.
  struct Kept {
    let step: Int
    let firstStep: Int
    let write: LostWrite
    let lostAt: Instant
  }

  /// Keeps the progress that another takes the place of; the one statement that writing over a day costs beside its own.
  static func keep(
    progress: Int, _ stamp: WriteStamp, of activity: ActivityID, _ day: LocalDay, _ transaction: Transaction
  ) throws {
    let step = try transaction.database.first(
      """
      INSERT INTO entry_changes (activity_id, day, step, first_step, field, progress, written_at, change_id, device_id, cause, lost_at)
      SELECT ?1, ?2, coalesce(max(step), 0) + 1, coalesce(max(step), 0) + 1, 'progress', ?3, ?4, ?5, ?6, 'overwritten', ?7
      FROM entry_changes WHERE activity_id = ?1 AND day = ?2
      RETURNING step
      """, .id(activity), .day(day), .number(progress), .instant(stamp.at), .text(stamp.change?.id.description),
      .text(stamp.change?.device.description), .instant(transaction.now)
    ) { $0.number(0) }
    if let step { try prune(activity, day, last: step, in: transaction.database) }
  }

  /// Keeps writes that were lost together.
  static func keep(_ lost: [LostWrite], of activity: ActivityID, _ day: LocalDay, _ transaction: Transaction) throws {
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
        transaction.now,
      ])
      try prune(activity, day, last: first + index, in: database)
    }
  }

  private static func prune(_ activity: ActivityID, _ day: LocalDay, last: Int, in database: Database) throws {
    guard last > kept, last % deletedTogether == 0 else { return }
    try database.run(
      "DELETE FROM entry_changes WHERE activity_id = ? AND day = ? AND step <= ?", .id(activity), .day(day), .number(last - kept))
  }

  /// Whether the change was lost before.
  static func knows(_ change: ChangeName, of activity: ActivityID, _ day: LocalDay, in database: Database) throws -> Bool {
    let found = try database.first(
      "SELECT 1 FROM entry_changes WHERE activity_id = ? AND day = ? AND change_id = ? AND device_id = ? LIMIT 1",
      .id(activity), .day(day), .text(change.id.description), .text(change.device.description)
    ) { $0.truth(0) }
    return found ?? false
  }

  /// A page of an entry's lost writes, newest first.
  static func list(
    of goal: PlannedGoal, _ page: PageRequest, in database: Database
  ) throws -> Page<EntryChange> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM entry_changes WHERE activity_id = ? AND day = ? AND step < ? ORDER BY step DESC LIMIT ?")
    let rows = try Row.fetchAll(statement, arguments: [goal.activity, goal.day, page.before, page.fetchLimit])
    return try page.page(of: rows, key: { $0["step"] as Int }) { EntryChange(try Kept($0), goal.measure) }
  }

  /// The newest loss that can be undone: a progress that was written over, or what was deleted together.
  static func lastUndoable(of activity: ActivityID, _ day: LocalDay, in database: Database) throws -> [Kept] {
    let search = try database.cachedStatement(
      sql: """
        SELECT first_step FROM entry_changes
        WHERE activity_id = ? AND day = ? AND (cause = 'deleted' OR (cause = 'overwritten' AND field = 'progress'))
        ORDER BY step DESC LIMIT 1
        """)
    guard let first = try Int.fetchOne(search, arguments: [activity, day]) else { return [] }
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM entry_changes WHERE activity_id = ? AND day = ? AND first_step = ? AND step >= first_step
          AND (cause = 'deleted' OR (cause = 'overwritten' AND field = 'progress'))
        """)
    return try Row.fetchAll(statement, arguments: [activity, day, first]).map(Kept.init)
  }

  /// Takes out what counts again.
  static func remove(_ kept: [Kept], of activity: ActivityID, _ day: LocalDay, in database: Database) throws {
    for step in kept.map(\.step) {
      try database.run(
        "DELETE FROM entry_changes WHERE activity_id = ? AND day = ? AND step = ?", .id(activity), .day(day), .number(step))
    }
  }

  /// Forgets all of an entry's lost writes.
  static func forget(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws {
    try database.run("DELETE FROM entry_changes WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
  }
}

extension EntryHistory.Kept {
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
  /// From the columns that all tables with stamps have.
  init(_ row: Row) {
    self.init(row["written_at"], (row["change_id"] as ChangeID?).map { ChangeName(id: $0, device: row["device_id"]) })
  }
}

extension WriteStamp {
  /// From three columns from that one on; nil where the first is null.
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
  fileprivate init(_ kept: EntryHistory.Kept, _ measure: GoalMeasure) {
    let stamp = kept.write.stamp
    self.init(
      number: kept.step, field: kept.write.value.field, madeAt: stamp.at, changeID: stamp.change?.id,
      deviceID: stamp.change?.device, cause: kept.write.cause, lostAt: kept.lostAt)
    switch kept.write.value {
    case .progress(let progress):
      isDone = measure.kind == .check ? measure.isDone(progress) : nil
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
