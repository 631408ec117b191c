import ActivityContract
import GRDB
import Operations
import Storage

/// Entries as a history shows them.
struct HistoryItems {
  private var accounts: KnownDays
  private let database: Database

  init(_ calendars: AccountCalendars, now: Instant, in database: Database) {
    accounts = KnownDays(calendars, now: now)
    self.database = database
  }

  private static let sql = {
    let evaluation = DayStore.evaluation("e.activity_id", "e.day")
    return """
      SELECT e.account_id, e.progress, e.comment, e.photo_tag, e.recorded_at, a.title, a.category, o.username, o.nickname,
        p.latitude, p.longitude, p.accuracy_meters, \(evaluation.columns)
      FROM entries e JOIN activities a ON a.activity_id = e.activity_id JOIN accounts o ON o.account_id = e.account_id
      \(evaluation.join)
      LEFT JOIN entry_places p ON p.activity_id = e.activity_id AND p.day = e.day
      WHERE e.activity_id = ? AND e.day = ?
      """
  }()

  /// The entry of that position; nil while identity has published nothing of its account.
  mutating func item(at position: HistoryPosition) throws -> HistoryItem? {
    try database.first(HistoryItems.sql, .id(position.activity), .day(position.day)) { row in
      let version = try ActivityVersion(row, behind: 11)
      let (measure, progress) = (version.measure, row.number(1))
      let owner: AccountID = try row.id(0)
      let days = try accounts.days(of: owner, in: database)
      let evaluated = DayStore.evaluated(
        version, on: position.day, days, progress, isPaused: row.truth(22), isSkipped: row.truth(23))
      return HistoryItem(
        accountID: owner, username: try Username(text: row.text(7)), nickname: row.isNull(8) ? nil : row.text(8),
        activityID: position.activity, title: row.text(5), category: try row.choice(6), day: position.day,
        state: try DayStore.state(evaluated, of: position.activity, days, in: database),
        amount: measure.amount(progress), unit: version.unit, durationSeconds: measure.durationSeconds(progress),
        comment: row.isNull(2) ? nil : row.text(2), location: row.isNull(9) ? nil : EntryLocation(row),
        photoTag: row.isNull(3) ? nil : row.text(3), recordedAt: row.instant(4))
    }
  }
}

extension EntryLocation {
  /// From the columns of ``HistoryItems``.
  fileprivate init(_ row: Columns) {
    self.init(latitude: row.real(9), longitude: row.real(10), accuracyMeters: row.isNull(11) ? nil : row.real(11))
  }
}
