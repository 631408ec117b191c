import ActivityContract
import GRDB
import Operations

/// Entries as a history shows them.
struct HistoryItems {
  private var accounts: KnownDays
  private let statement: Statement
  private let database: Database

  init(_ calendars: AccountCalendars, now: Instant, in database: Database) throws {
    accounts = KnownDays(calendars, now: now)
    self.database = database
    let judging = Days.judging("e.activity_id", "e.day")
    statement = try database.cachedStatement(
      sql: """
        SELECT e.account_id, e.progress, e.comment, e.photo_tag, e.recorded_at, a.title, a.category, o.username, o.nickname,
          p.latitude, p.longitude, p.accuracy_meters, \(judging.columns)
        FROM entries e JOIN activities a ON a.activity_id = e.activity_id JOIN accounts o ON o.account_id = e.account_id
        \(judging.join)
        LEFT JOIN entry_places p ON p.activity_id = e.activity_id AND p.day = e.day
        WHERE e.activity_id = ? AND e.day = ?
        """)
  }

  /// The entry of that place; nil while identity has told nothing of its account.
  mutating func item(at position: HistoryPosition) throws -> HistoryItem? {
    guard let row = try Row.fetchOne(statement, arguments: [position.activity, position.day]) else { return nil }
    let version = ActivityVersion(row)
    let (measure, progress): (GoalMeasure, Int) = (version.measure, row["progress"])
    let owner: AccountID = row["account_id"]
    let days = try accounts.days(of: owner, in: database)
    let location = (row["latitude"] as Double?).map { latitude in
      EntryLocation(latitude: latitude, longitude: row["longitude"], accuracyMeters: row["accuracy_meters"])
    }
    return HistoryItem(
      accountID: owner, username: row["username"], nickname: row["nickname"], activityID: position.activity,
      title: row["title"], category: row["category"], day: position.day,
      state: try Days.state(row, version, of: position.activity, on: position.day, days, in: database),
      amount: measure.amount(progress), unit: version.unit, durationSeconds: measure.durationSeconds(progress),
      comment: row["comment"], location: location, photoTag: row["photo_tag"], recordedAt: row["recorded_at"])
  }
}
