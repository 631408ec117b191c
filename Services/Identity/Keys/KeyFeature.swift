import IdentityContract
import ServiceKit

/// The public keys of access tokens.
struct KeyFeature: Feature {
  let handlers: KeyHandlers

  func register(in service: inout ServiceDefinition) { service.serve(ListKeys.self, handlers.list) }
}
