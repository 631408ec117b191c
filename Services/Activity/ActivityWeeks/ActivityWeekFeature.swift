import ActivityContract
import ServiceKit

/// What accounts did in a week, for the summaries of notifications (NOT-3).
struct ActivityWeekFeature: Feature {
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(GetActivityWeeks.self, read: ActivityWeekHandlers(calendars: calendars).get)
  }
}
