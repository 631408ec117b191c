import ActivityContract
import ServiceKit

/// Calendars: how each day of a week, two weeks or a month stands.
struct CalendarFeature: Feature {
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(GetCalendar.self, read: CalendarHandlers(calendars: calendars).get)
  }
}
