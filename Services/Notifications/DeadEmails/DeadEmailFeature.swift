import NotificationsContract
import ServiceKit
import Storage

/// Mails that were given up, for administrators (NOT-6).
struct DeadEmailFeature: Feature {
  /// Wakes the worker of mails.
  let signal: WakeSignal

  let migrations = [DeadEmailStore.migration(5)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListDeadEmails.self, read: DeadEmailHandlers.list)
    service.serve(RetryDeadEmail.self, write: DeadEmailHandlers(signal: signal).retry)
  }
}
