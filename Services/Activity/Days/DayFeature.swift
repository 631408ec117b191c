import ActivityContract
import ServiceKit

/// Days: what is planned on each, and how it stands.
struct DayFeature: Feature {
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(GetDay.self, read: DayHandlers(calendars: calendars).get)
  }
}
