import ActivityContract
import Crypto
import GRDB
import Operations
import Storage

/// The names of the offline changes that were taken in, so that no change takes effect twice, nor is lost twice (ACT-17).
///
/// They are kept apart from what the changes wrote: even where that was overwritten, undone, forgotten, or is too old for its entry's
/// history, the change is still known. Online writes have no names and never touch this table.
enum ChangeNameStore {
  /// How many days a name is kept: a device that did not receive the reply may retry long afterwards.
  static let keptDays = 366
  /// The maximum number of expired names deleted with each batch: more than a batch adds, so that the backlog shrinks.
  static let forgottenTogether = 2 * SyncEntries.Input.maxChanges

  /// Returns the fields of a change of which later writes existed when it first arrived; nil for a change that is new.
  ///
  /// - Throws: ``EntryFailure/changeReused`` where the name belongs to a different change, which would otherwise be lost silently.
  static func superseded(_ change: OfflineChange, in database: Database) throws -> [EntryField]? {
    let known = try database.first(
      """
      SELECT superseded, content_hash IS NULL OR content_hash = ?5 FROM entry_change_names
      WHERE activity_id = ?1 AND day = ?2 AND device_id = ?3 AND change_id = ?4
      """, .id(change.activityID), .day(change.day), .text(change.deviceID.description), .text(change.id.description),
      .bytes(hash(change))
    ) { columns in (fields: columns.text(0), isSame: columns.truth(1)) }
    guard let known else { return nil }
    guard known.isSame else { throw EntryFailure.changeReused }
    return known.fields.split(separator: " ").compactMap { EntryField(rawValue: String($0)) }
  }

  /// Stores the name of a change that was taken in.
  static func keep(_ change: OfflineChange, superseded: [EntryField], _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      INSERT INTO entry_change_names (activity_id, day, device_id, change_id, superseded, taken_at, content_hash)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, .id(change.activityID), .day(change.day), .text(change.deviceID.description), .text(change.id.description),
      .text(superseded.map(\.rawValue).joined(separator: " ")), .instant(transaction.now), .bytes(hash(change)))
  }

  /// A hash of all that a change contains, independent of field order and white space.
  private static func hash(_ change: OfflineChange) -> [UInt8] { Array(SHA256.hash(data: change.json)) }

  /// Deletes expired names, the oldest first.
  static func forgetOld(_ transaction: Transaction) throws {
    try transaction.database.run(
      """
      DELETE FROM entry_change_names WHERE (activity_id, day, device_id, change_id) IN (
        SELECT activity_id, day, device_id, change_id FROM entry_change_names WHERE taken_at < ? ORDER BY taken_at LIMIT ?)
      """, .instant(transaction.now.adding(seconds: -keptDays * 86_400)), .number(forgottenTogether))
  }
}
