import CoreMetrics
import IdentityContract
import Operations

/// An operation as the gateway serves it.
final class Endpoint: Sendable {
  let operation: any Operation.Type
  let spec: OperationSpec
  /// Whether a caller without a valid token is refused here already.
  let needsAccount: Bool
  /// What a personal access token must allow.
  let scope: ScopeRule
  let timer: Timer
  let failures: Counter

  init(_ operation: any Operation.Type) {
    self.operation = operation
    spec = operation.spec
    needsAccount = spec.caller != .anyone
    scope = ScopeRule(spec)
    timer = Timer(label: "gateway_requests", dimensions: [("operation", spec.name)])
    failures = Counter(label: "gateway_failures", dimensions: [("operation", spec.name)])
  }
}

/// What the gateway answers itself, beside the operations.
enum Page: String, Sendable, CaseIterable {
  case livez = "/livez"
  case readyz = "/readyz"
  case metrics = "/metrics"
  case openAPI = "/openapi.json"
  case docs = "/docs"
  case live = "/v1/live"

  /// Whether it tells how the gateway is: answered to whoever is allowed to ask for nothing else, and within no budget.
  var isHealth: Bool { self == .livez || self == .readyz }
}

/// Where a path leads.
enum Destination: Sendable {
  case operation(Endpoint)
  case page(Page)
  /// A page behind a mailed link, what judges the link, and the operation that its form calls.
  case link(LinkPage, LinkValidator, Endpoint)
  /// ``RecoveryPage``, and the operations that it and its forms call.
  case recovery(RecoveryEndpoints)
  /// ``MailboxPage``, or one of its mails.
  case mailbox
  /// ``ExternalLoginReturn``.
  case externalLoginReturn
  /// ``LoginAlertPage``, what judges its link, and the operation that its form calls.
  case loginAlert(LinkValidator, Endpoint)
}

/// All that clients may call, from the contracts.
struct Catalog: Sendable {
  /// In the order of the contracts.
  let endpoints: [Endpoint]
  let byName: [String: Endpoint]
  let router: Router<Destination>

  init(_ contracts: [Contract]) {
    endpoints = contracts.flatMap(\.operations).filter { Catalog.isForClients($0.spec) }.map { Endpoint($0) }
    byName = Dictionary(endpoints.map { ($0.spec.name, $0) }) { first, _ in
      preconditionFailure("two operations named \(first.spec.name)")
    }
    var router = Router<Destination>()
    for page in Page.allCases { router.add("GET", page.rawValue, .page(page)) }
    let validator = LinkValidator(byName)
    for page in LinkPage.all {
      guard let validator, let endpoint = byName[page.operation] else { continue }
      for method in ["GET", "POST"] { router.add(method, page.path, .link(page, validator, endpoint)) }
    }
    if let endpoints = RecoveryEndpoints(byName) {
      for method in ["GET", "POST"] { router.add(method, RecoveryPage.path, .recovery(endpoints)) }
    }
    if let validator, let endpoint = byName[AnswerLoginAlertByLink.spec.name] {
      for method in ["GET", "POST"] { router.add(method, LoginAlertPage.path, .loginAlert(validator, endpoint)) }
    }
    for path in [MailboxPage.path, MailboxPage.mailPath] { router.add("GET", path, .mailbox) }
    if byName[CompleteExternalLogin.spec.name] != nil {
      router.add("POST", ExternalLoginReturn.path, .externalLoginReturn)
    }
    for endpoint in endpoints {
      if let route = endpoint.spec.route { router.add(route.method.rawValue, route.path, .operation(endpoint)) }
    }
    self.router = router
  }

  /// Operations without a route, and those only services may call, do not exist for clients.
  static func isForClients(_ spec: OperationSpec) -> Bool {
    if case .services = spec.caller { return false }
    return spec.route != nil
  }
}

extension OperationSpec {
  /// Whether a call's fields come in a body, those in the path apart; otherwise they are in the query.
  var takesBody: Bool {
    switch route?.method {
    case .post, .put, .patch: true
    case .get, .delete, nil: false
    }
  }
}
