import IdentityContract
import Operations
import ServiceKit
import Storage

/// Passwords: changed by their owners, which ends all other sessions (ID-9).
struct PasswordFeature: Feature {
  let handlers: PasswordHandlers
  let migrations = [PasswordStore.migration(22)]

  func register(in service: inout ServiceDefinition) {
    service.serveKeyed(ChangePassword.self, handlers.change)
    service.serve(GetAddressee.self, read: PasswordHandlers.getAddressee)
  }
}
