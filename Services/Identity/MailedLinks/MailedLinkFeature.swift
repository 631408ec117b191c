import IdentityContract
import ServiceKit

/// Mailed links: looked at before they are used.
struct MailedLinkFeature: Feature {
  let handlers: MailedLinkHandlers

  func register(in service: inout ServiceDefinition) { service.serve(ValidateMailedLink.self, handlers.validate) }
}
