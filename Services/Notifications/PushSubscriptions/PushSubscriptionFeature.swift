import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Devices that take pushes (NOT-5): each belongs to a session, and ends with it.
struct PushSubscriptionFeature: Feature {
  let environment: ServiceEnvironment
  let handlers: PushSubscriptionHandlers

  let migrations = [PushSubscriptionStore.migration(20)]
  let tables: [ErasedTable] = [.rows("push_subscriptions", "account_id = :account", .pushSubscriptions).atOnce]

  func register(in service: inout ServiceDefinition) {
    service.serve(GetPushKey.self, read: handlers.key)
    service.serve(CreatePushSubscription.self, write: handlers.create)
    service.serve(ListPushSubscriptions.self, read: handlers.list)
    service.serve(RenamePushSubscription.self, write: handlers.rename)
    service.serve(DeletePushSubscription.self, write: PushSubscriptionHandlers.delete)
    service.subscribe(to: SessionRevoked.self, PushSubscriptionSubscriptions.sessionRevoked)
    service.subscribe(to: AccessWithdrawn.self, PushSubscriptionSubscriptions.accessWithdrawn)
    let environment = environment
    service.run { store in
      PushSessionWorker(
        store: store, identity: ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock),
        clock: environment.clock, logger: environment.logger, start: environment.clock.now)
    }
  }
}
