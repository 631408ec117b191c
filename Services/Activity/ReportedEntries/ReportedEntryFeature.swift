import ActivityContract
import ServiceKit
import SocialContract

/// Entries that are reported: copied for moderators, and without comment and photo where they decide so (SOC-8). What was achieved stays, and a granted
/// appeal gives back the rest.
struct ReportedEntryFeature: Feature {
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(ReadReportedEntry.self, read: ReportedEntryHandlers(calendars: calendars).read)
    service.subscribe(to: EntryRemovalChanged.self, ReportedEntrySubscriptions(calendars: calendars).removalChanged)
  }
}
