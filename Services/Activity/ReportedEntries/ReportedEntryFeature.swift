import ActivityContract
import ServiceKit
import SocialContract

/// Reported entries: copied for moderators, and stripped of comment and photo where they decide so (SOC-8). The progress stays, and a
/// granted appeal restores the rest.
struct ReportedEntryFeature: Feature {
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(GetReportedEntry.self, read: ReportedEntryHandlers(calendars: calendars).get)
    service.subscribe(to: EntryRemovalChanged.self, ReportedEntrySubscriptions(calendars: calendars).removalChanged)
  }
}
