import ActivityContract
import GRDB
import Operations
import Storage

/// The names of the offline changes that were taken in, so that none takes effect twice, nor is lost twice (ACT-17).
///
/// They stand apart from what the changes wrote: that is overwritten, undone, forgotten, or too old for its entry's history, and the
/// change is known all the same. Writes online have no names, and come by no statement of these.
enum ChangeNames {
  /// For how long a name is kept: a device that has not heard the answer may come back with it after its longest rest.
  static let keptDays = 366
  /// How many older ones go with each batch at most: more than a batch brings, so that they come to an end.
  static let forgottenTogether = 2 * SyncEntries.Input.mostChanges

  /// The fields of a change of which later writes were there when it came; nil for a change that never did.
  static func superseded(
    _ name: ChangeName, of activity: ActivityID, _ day: LocalDay, in database: Database
  ) throws -> [EntryField]? {
    try database.first(
      "SELECT superseded FROM entry_change_names WHERE activity_id = ? AND day = ? AND device_id = ? AND change_id = ?",
      .id(activity), .day(day), .text(name.device.description), .text(name.id.description)
    ) { columns in
      columns.text(0).split(separator: " ").compactMap { EntryField(rawValue: String($0)) }
    }
  }

  /// Keeps the name of a change that was taken in.
  static func keep(
    _ name: ChangeName, superseded: [EntryField], of activity: ActivityID, _ day: LocalDay, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      """
      INSERT INTO entry_change_names (activity_id, day, device_id, change_id, superseded, taken_at) VALUES (?, ?, ?, ?, ?, ?)
      """, .id(activity), .day(day), .text(name.device.description), .text(name.id.description),
      .text(superseded.map(\.rawValue).joined(separator: " ")), .instant(transaction.now))
  }

  /// Forgets names that were kept long enough, the oldest first.
  static func forgetOld(_ transaction: Transaction) throws {
    try transaction.database.run(
      """
      DELETE FROM entry_change_names WHERE (activity_id, day, device_id, change_id) IN (
        SELECT activity_id, day, device_id, change_id FROM entry_change_names WHERE taken_at < ? ORDER BY taken_at LIMIT ?)
      """, .instant(transaction.now.adding(seconds: -keptDays * 86_400)), .number(forgottenTogether))
  }
}
