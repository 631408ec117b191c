import IdentityContract
import ServiceKit

/// Registration of accounts (ID-1, ID-20).
struct RegistrationFeature: Feature {
  let handlers: RegistrationHandlers

  func register(in service: inout ServiceDefinition) { service.serveKeyed(RegisterAccount.self, handlers.register) }
}
