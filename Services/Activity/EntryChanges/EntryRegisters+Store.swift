import ActivityContract
import GRDB
import Images
import Operations
import ServiceKit
import Storage

extension EntryRegisters {
  /// Loads an entry with the stamps of all its fields.
  ///
  /// - Parameter entry: the stored entry; nil where there is none, or where it was deleted.
  static func load(
    _ entry: StoredEntry?, _ activity: ActivityID, _ day: LocalDay, in database: Database
  ) throws -> EntryRegisters {
    var registers = EntryRegisters()
    if let entry {
      registers.progress = entry.progressStamp.map { Register(value: entry.progress, stamp: $0) }
      let statement = try database.cachedStatement(sql: "SELECT * FROM entry_stamps WHERE activity_id = ? AND day = ?")
      for row in try Row.fetchAll(statement, arguments: [activity, day]) {
        let stamp = WriteStamp(row)
        switch row["field"] as EntryField {
        case .comment: registers.comment = Register(value: entry.comment, stamp: stamp)
        case .location: registers.location = Register(value: entry.location, stamp: stamp)
        case .photo: registers.photo = Register(value: entry.photoTag, stamp: stamp)
        case .progress, .entry: break
        }
      }
    }
    let deletion = try database.cachedStatement(sql: "SELECT * FROM entry_deletions WHERE activity_id = ? AND day = ?")
    registers.deletion = try Row.fetchOne(deletion, arguments: [activity, day]).map(WriteStamp.init)
    return registers
  }

  /// Makes this the entry, instead of what it was, and publishes it where its progress is another.
  ///
  /// - Parameters:
  ///   - entry: what it was as it is kept, of which `before` was loaded.
  ///   - lost: what does not count any more, for the entry's history.
  ///   - picture: what the photo's tag names, where the photo is another.
  /// - Returns: the entry as it is kept then; nil where there is none.
  @discardableResult
  func save(
    over before: EntryRegisters, of entry: StoredEntry?, losing lost: [LostWrite], _ goal: PlannedGoal, of account: AccountID,
    picture: Picture? = nil, _ transaction: Transaction
  ) throws -> StoredEntry? {
    guard self != before || !lost.isEmpty else { return entry }
    try EntryChangeStore.settle(entry, goal.activity, goal.day, transaction)
    let (database, activity, day) = (transaction.database, goal.activity, goal.day)
    let progress = progress?.value ?? 0
    let isDone = goal.isDone(progress)
    var unwritten = before
    unwritten.deletion = deletion
    if self == unwritten {
      // A write that arrived too late leaves the entry as it is.
    } else if exists {
      try database.run(
        """
        INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, comment, photo_tag, progress_at,
          progress_change, progress_device, closes_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (activity_id, day) DO UPDATE SET progress = ?4, is_done = ?5, recorded_at = ?6, comment = ?7, photo_tag = ?8,
          progress_at = ?9, progress_change = ?10, progress_device = ?11, closes_at = ?12
        """, .id(activity), .day(day), .id(account), .number(progress), .truth(isDone), .instant(transaction.now),
        .text(comment?.value), .text(photo?.value), self.progress.map { .instant($0.stamp.at) } ?? .null,
        .text(self.progress?.stamp.change?.id.description), .text(self.progress?.stamp.change?.device.description),
        goal.closing(progress))
      let name = (activity, day)
      try saveStamp(comment?.stamp, over: before.comment?.stamp, .comment, of: name, in: database)
      try saveStamp(location?.stamp, over: before.location?.stamp, .location, of: name, in: database)
      try saveStamp(photo?.stamp, over: before.photo?.stamp, .photo, of: name, in: database)
      if location?.value != before.location?.value {
        try EntryPlaceStore.put(location?.value, activity, day, of: account, in: database)
      }
      if comment?.value != before.comment?.value {
        try EntryCommentStore.keep(comment?.value, of: account, activity, day, in: database)
      }
      if photo?.value != before.photo?.value { try EntryPhotoStore.put(picture, activity, day, in: database) }
    } else {
      // Stamps, place, photo and the search data of its comment are deleted with it.
      try database.run("DELETE FROM entries WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
      if before.comment?.value != nil { try EntryCommentStore.removed(of: account, in: database) }
    }
    if deletion != before.deletion { try saveDeletion(activity, day, in: database) }
    try EntryChangeStore.keep(lost, of: activity, day, at: transaction.now, transaction)
    if exists != before.exists || progress != (before.progress?.value ?? 0) {
      try EntryStore.publish(exists ? progress : nil, goal, of: account, transaction)
    }
    return stored(recordedAt: self == unwritten ? entry?.recordedAt : transaction.now)
  }

  /// The entry to store once none of its history waits with it; nil where there is none.
  private func stored(recordedAt: Instant?) -> StoredEntry? {
    guard exists, let recordedAt else { return nil }
    return StoredEntry(
      progress: progress?.value ?? 0, progressStamp: progress?.stamp, comment: comment?.value, photoTag: photo?.value,
      location: location?.value, recordedAt: recordedAt)
  }

  private func saveStamp(
    _ stamp: WriteStamp?, over before: WriteStamp?, _ field: EntryField, of name: (ActivityID, LocalDay), in database: Database
  ) throws {
    guard stamp != before else { return }
    guard let stamp else {
      try database.run(
        "DELETE FROM entry_stamps WHERE activity_id = ? AND day = ? AND field = ?", .id(name.0), .day(name.1),
        .text(field.rawValue))
      return
    }
    try database.run(
      """
      INSERT INTO entry_stamps (activity_id, day, field, written_at, change_id, device_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT DO UPDATE SET written_at = ?4, change_id = ?5, device_id = ?6
      """, .id(name.0), .day(name.1), .text(field.rawValue), .instant(stamp.at), .text(stamp.change?.id.description),
      .text(stamp.change?.device.description))
  }

  private func saveDeletion(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws {
    guard let deletion else {
      try database.run("DELETE FROM entry_deletions WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
      return
    }
    try database.run(
      """
      INSERT INTO entry_deletions (activity_id, day, written_at, change_id, device_id) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT DO UPDATE SET written_at = ?3, change_id = ?4, device_id = ?5
      """, .id(activity), .day(day), .instant(deletion.at), .text(deletion.change?.id.description),
      .text(deletion.change?.device.description))
  }
}
