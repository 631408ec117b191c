import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Calendar feeds: the secret link to the activities as iCalendar (ACT-16). The link ends with the session that created it, or with that
/// session's access.
struct CalendarFeedFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [CalendarFeedStore.migration(16), CalendarFeedStore.makersMigration(24), EndedSessionStore.migration(33)]
  let tables: [ErasedTable] = [
    .rows("calendar_feeds", "account_id = :account", .activities).atOnce,
    .untouched("ended_sessions", "names no account, and is forgotten after half an hour"),
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = CalendarFeedHandlers(calendars: calendars)
    service.serve(CreateCalendarFeedLink.self, write: handlers.createLink)
    service.serve(GetCalendarFeedLink.self, read: handlers.getLink)
    service.serve(RevokeCalendarFeedLink.self, write: handlers.revokeLink)
    service.serve(GetCalendarFeed.self, handlers.get)
    service.subscribe(to: SessionRevoked.self, CalendarFeedSubscriptions.sessionRevoked)
    service.subscribe(to: AccessWithdrawn.self, CalendarFeedSubscriptions.accessWithdrawn)
  }
}
