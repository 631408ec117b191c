import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Copies reported entries for moderators.
struct ReportedEntryHandlers: Sendable {
  let calendars: AccountCalendars

  func get(_ input: GetReportedEntry.Input, _ call: OpenCall, _ database: Database) throws -> ReportedEntry {
    let name = EntryName(activityID: input.activityID, day: .day(input.day))
    do {
      let day = try FollowStore.day(of: name, for: input.readerAccountID, calendars, now: call.now, in: database)
      let position = HistoryPosition(day: day, activity: input.activityID)
      guard let found = try HistoryStore.find(position, in: database) else { throw Failure(RequestFailure.notFound) }
      return ReportedEntry(
        accountID: found.account, title: found.title, comment: found.comment,
        photo: found.photoTag == nil ? nil : try EntryPhotoStore.find(input.activityID, day, in: database),
        recordedAt: found.recordedAt)
    } catch ActivityFailure.notFound {
      throw Failure(RequestFailure.notFound)
    }
  }
}
