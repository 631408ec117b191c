import ActivityContract
import GRDB
import Operations
import Storage

/// An entry of a history with its related data.
struct HistoryRecord {
  let account: AccountID
  let username: Username
  let nickname: String?
  let photoURL: PhotoURL?
  let title: String
  let category: ActivityCategory
  let progress: Int
  let comment: String?
  let photoTag: String?
  let location: EntryLocation?
  let recordedAt: Instant
  /// The version of the activity that applied on the day.
  let version: ActivityVersion
  let isPaused: Bool
  let isSkipped: Bool
}

extension HistoryStore {
  private static let item = {
    let evaluation = DayStore.evaluation("e.activity_id", "e.day")
    return """
      SELECT e.account_id, e.progress, e.comment, e.photo_tag, e.recorded_at, a.title, a.category, o.username, o.nickname,
        p.latitude, p.longitude, p.accuracy_meters, \(evaluation.columns), o.photo_tag
      FROM entries e JOIN activities a ON a.activity_id = e.activity_id JOIN accounts o ON o.account_id = e.account_id
      \(evaluation.join)
      LEFT JOIN entry_places p ON p.activity_id = e.activity_id AND p.day = e.day
      WHERE e.activity_id = ? AND e.day = ?
      """
  }()

  /// Returns the entry at that position; nil while identity has not published its account.
  static func find(_ position: HistoryPosition, in database: Database) throws -> HistoryRecord? {
    try database.first(item, .id(position.activity), .day(position.day)) { row in
      let account: AccountID = try row.id(0)
      return HistoryRecord(
        account: account, username: try Username(text: row.text(7)), nickname: row.isNull(8) ? nil : row.text(8),
        photoURL: row.isNull(24) ? nil : PhotoURL(account: account, tag: row.text(24)),
        title: row.text(5), category: try row.choice(6), progress: row.number(1), comment: row.isNull(2) ? nil : row.text(2),
        photoTag: row.isNull(3) ? nil : row.text(3), location: row.isNull(9) ? nil : EntryLocation(row),
        recordedAt: row.instant(4), version: try ActivityVersion(row, behind: 11), isPaused: row.truth(22),
        isSkipped: row.truth(23))
    }
  }
}

extension EntryLocation {
  /// Creates a location from the columns of ``HistoryStore/find(_:in:)``.
  fileprivate init(_ row: Columns) {
    self.init(latitude: row.real(9), longitude: row.real(10), accuracyMeters: row.isNull(11) ? nil : row.real(11))
  }
}
