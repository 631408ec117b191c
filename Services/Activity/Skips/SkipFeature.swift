import ActivityContract
import ServiceKit
import Storage

/// Skips: single days on which an activity is not due (ACT-14).
struct SkipFeature: Feature {
  let calendars: AccountCalendars
  let tables: [ErasedTable] = [.following("activity_skips", "activities")]

  func register(in service: inout ServiceDefinition) {
    let handlers = SkipHandlers(calendars: calendars)
    service.serve(CreateSkip.self, write: handlers.create)
    service.serve(DeleteSkip.self, write: handlers.delete)
  }
}
