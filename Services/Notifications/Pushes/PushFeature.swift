import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Pushes to devices (NOT-5; RFC 8030, 8291 and 8292): the queue, written and encrypted when it is sent, and its worker.
struct PushFeature: Feature {
  let environment: ServiceEnvironment
  let settings: PushSettings
  let writer: PushWriter
  /// Wakes the worker.
  let signal: WakeSignal

  let migrations = [
    PushStore.migration(21), PushStore.repeatsMigration(26), PushStore.sendingMigration(36), PushStore.sourceMigration(39),
  ]
  let tables: [ErasedTable] = [
    .following("push_requests", "push_messages"),
    .following("push_message_deliveries", "push_messages"),
    .rows("push_messages", "account_id = :account", .deliveries),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(OpenPush.self, write: PushHandlers.open)
    let (environment, settings, writer, signal) = (environment, settings, writer, signal)
    service.run { store, pulse in
      PushWorker(
        store: store, settings: settings, writer: writer, carrier: PushCarrier(rules: settings.rules),
        identity: ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock),
        clock: environment.clock, signal: signal, pulse: pulse, logger: environment.logger,
        start: environment.clock.now)
    }
  }
}
