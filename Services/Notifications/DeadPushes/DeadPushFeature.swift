import NotificationsContract
import ServiceKit
import Storage

/// Pushes that were given up, for administrators (NOT-5).
struct DeadPushFeature: Feature {
  /// Wakes the worker that releases held deliveries.
  let signal: WakeSignal

  let migrations = [DeadPushStore.migration(28)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListDeadPushes.self, read: DeadPushHandlers.list)
    service.serve(RetryDeadPush.self, write: DeadPushHandlers(signal: signal).retry)
  }
}
