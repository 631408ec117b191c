import IdentityContract
import ServiceKit

/// Mailed links: looked at before they are used.
struct EmailLinkFeature: Feature {
  let handlers: EmailLinkHandlers

  func register(in service: inout ServiceDefinition) { service.serve(ValidateEmailLink.self, handlers.validate) }
}
