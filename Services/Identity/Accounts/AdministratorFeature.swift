import IdentityContract
import Operations
import ServiceKit
import Storage

/// Administrators, appointed and dismissed by the operator of the system.
struct AdministratorFeature: Feature {
  let migrations = [AdministratorStore.migration(16)]

  func register(in service: inout ServiceDefinition) {
    service.serve(AppointAdministrator.self, write: AdministratorHandlers.appoint)
    service.serve(DismissAdministrator.self, write: AdministratorHandlers.dismiss)
    service.serve(ListAdministrators.self, read: AdministratorHandlers.list)
  }
}
