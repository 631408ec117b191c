import NotificationsContract
import ServiceKit

/// One click in a mail that ends this kind of mail, without login (RFC 8058, NOT-4).
struct UnsubscribeFeature: Feature {
  let links: UnsubscribeLinks

  func register(in service: inout ServiceDefinition) {
    let handlers = UnsubscribeHandlers(links: links)
    service.serve(GetUnsubscribe.self, read: handlers.get)
    service.serve(CreateUnsubscribe.self, write: handlers.create)
  }
}
