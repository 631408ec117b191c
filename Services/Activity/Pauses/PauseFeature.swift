import ActivityContract
import ServiceKit
import Storage

/// Pauses: days on which an activity is not due (ACT-14).
struct PauseFeature: Feature {
  let calendars: AccountCalendars
  let tables: [ErasedTable] = [.following("activity_pauses", "activities")]

  func register(in service: inout ServiceDefinition) {
    let handlers = PauseHandlers(calendars: calendars)
    service.serve(CreatePause.self, write: handlers.create)
    service.serve(UpdatePause.self, write: handlers.update)
    service.serve(DeletePause.self, write: handlers.delete)
  }
}
