import NotificationsContract
import ServiceKit
import Storage

/// Mails that were given up, for administrators (NOT-6).
struct DeadMailFeature: Feature {
  /// Wakes the worker of mails.
  let signal: WakeSignal

  let migrations = [DeadMailStore.migration(5)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListDeadMails.self, read: DeadMailHandlers.list)
    service.serve(RetryDeadMail.self, write: DeadMailHandlers(signal: signal).retry)
  }
}
