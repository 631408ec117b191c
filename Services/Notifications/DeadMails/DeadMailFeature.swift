import NotificationsContract
import ServiceKit
import Storage

/// Mails that were given up, for administrators (NOT-6).
struct DeadMailFeature: Feature {
  /// Wakes the worker of mails.
  let signal: WakeSignal

  let migrations = [DeadMailStore.migration(5)]

  func register(in service: inout ServiceDefinition) {
    let handlers = DeadMailHandlers(signal: signal)
    service.serve(ListDeadMails.self, read: handlers.list)
    service.serve(RetryDeadMail.self, write: handlers.retry)
  }
}
