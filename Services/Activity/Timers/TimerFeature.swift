import ActivityContract
import ServiceKit
import Storage

/// Timers for duration goals, which run on the server.
struct TimerFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [TimerStore.migration(11)]
  let tables: [ErasedTable] = [.following("timers", "activities")]

  func register(in service: inout ServiceDefinition) {
    let handlers = TimerHandlers(calendars: calendars)
    service.serve(StartTimer.self, write: handlers.start)
    service.serve(StopTimer.self, write: handlers.stop)
    service.serve(SaveTimer.self, write: handlers.save)
    service.serve(DiscardTimer.self, write: handlers.discard)
    service.serve(GetTimer.self, read: handlers.get)
    service.serve(ListTimers.self, read: handlers.list)
  }
}
