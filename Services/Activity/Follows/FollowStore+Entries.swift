import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

extension FollowStore {
  /// Returns the day of an entry that a reader may see: any of its own entries, and entries of accounts that it follows unless they are
  /// archived.
  ///
  /// - Throws: `activity_not_found` for an activity of any other account, `not_found` for an entry that followers do not see.
  static func day(
    of name: EntryName, for reader: AccountID, _ calendars: AccountCalendars, now: Instant, in database: Database
  ) throws -> LocalDay {
    let statement = try database.cachedStatement(sql: "SELECT account_id FROM activities WHERE activity_id = ?")
    guard let owner = try AccountID.fetchOne(statement, arguments: [name.activityID]),
      try owner == reader || isOpen(reader, to: owner, now: now, in: database)
    else { throw ActivityFailure.notFound }
    let day = name.day.resolved(today: try calendars.calendar(of: owner, in: database).day(of: now))
    guard try owner == reader || HistoryStore.isShownToFollowers(name.activityID, day, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return day
  }
}
