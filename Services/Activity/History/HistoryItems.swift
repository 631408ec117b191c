import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Entries as a history shows them.
struct HistoryItems {
  private var accounts: KnownDays
  private let database: Database

  init(_ calendars: AccountCalendars, now: Instant, in database: Database) {
    accounts = KnownDays(calendars, now: now)
    self.database = database
  }

  /// Returns the entry at that position; nil while identity has not published its account.
  mutating func item(at position: HistoryPosition) throws -> HistoryItem? {
    guard let found = try HistoryStore.find(position, in: database) else { return nil }
    let (measure, days) = (found.version.measure, try accounts.days(of: found.account, in: database))
    let evaluated = DayStore.evaluated(
      found.version, on: position.day, days, found.progress, isPaused: found.isPaused, isSkipped: found.isSkipped)
    return HistoryItem(
      accountID: found.account, username: found.username, nickname: found.nickname, photoURL: found.photoURL,
      activityID: position.activity,
      title: found.title, category: found.category, day: position.day,
      state: try DayStore.state(evaluated, of: position.activity, days, in: database), amount: measure.amount(found.progress),
      unit: found.version.unit, durationSeconds: measure.durationSeconds(found.progress), comment: found.comment,
      location: found.location, photoTag: found.photoTag, recordedAt: found.recordedAt)
  }
}
