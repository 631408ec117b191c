import ActivityContract
import ServiceKit

/// Series: sums and shares for bar charts.
struct SeriesFeature: Feature {
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(GetSeries.self, read: SeriesHandlers(calendars: calendars).get)
  }
}
