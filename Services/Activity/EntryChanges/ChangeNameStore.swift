import ActivityContract
import Crypto
import GRDB
import Operations
import Storage

/// The names of the offline changes that were taken in, so that none takes effect twice, nor is lost twice (ACT-17).
///
/// They stand apart from what the changes wrote: that is overwritten, undone, forgotten, or too old for its entry's history, and the
/// change is known all the same. Writes online have no names, and come by no statement of these.
enum ChangeNameStore {
  /// For how long a name is kept: a device that has not received the answer may come back with it after its longest rest.
  static let keptDays = 366
  /// How many older ones go with each batch at most: more than a batch brings, so that they come to an end.
  static let forgottenTogether = 2 * SyncEntries.Input.maxChanges

  /// The fields of a change of which later writes were there when it came; nil for a change that never did.
  ///
  /// - Throws: ``EntryFailure/changeReused`` where the name is that of a change that says something else: nobody would learn that it
  ///   was lost.
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

  /// Keeps the name of a change that was taken in.
  static func keep(_ change: OfflineChange, superseded: [EntryField], _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      INSERT INTO entry_change_names (activity_id, day, device_id, change_id, superseded, taken_at, content_hash)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, .id(change.activityID), .day(change.day), .text(change.deviceID.description), .text(change.id.description),
      .text(superseded.map(\.rawValue).joined(separator: " ")), .instant(transaction.now), .bytes(hash(change)))
  }

  /// Stands for all that a change says, in whatever order and with whatever blanks it was written.
  private static func hash(_ change: OfflineChange) -> [UInt8] { Array(SHA256.hash(data: change.json)) }

  /// Forgets names that were kept long enough, the oldest first.
  static func forgetOld(_ transaction: Transaction) throws {
    try transaction.database.run(
      """
      DELETE FROM entry_change_names WHERE (activity_id, day, device_id, change_id) IN (
        SELECT activity_id, day, device_id, change_id FROM entry_change_names WHERE taken_at < ? ORDER BY taken_at LIMIT ?)
      """, .instant(transaction.now.adding(seconds: -keptDays * 86_400)), .number(forgottenTogether))
  }
}
