import Operations

/// Where a path leads.
enum Destination: Sendable {
  case operation(Endpoint)
  case page(any BrowserPage)
  case system(SystemEndpoint)
  /// ``EventStream``.
  case live
}

/// All that clients may ask for: the operations of the contracts, and what the gateway has beside them.
struct Catalog: Sendable {
  /// In the order of the contracts.
  let endpoints: [Endpoint]
  let byName: [String: Endpoint]
  /// Those whose operations are all served.
  let pages: [any BrowserPage]
  let router: Router<Destination>

  init(_ contracts: [Contract], pages: [any BrowserPage] = BrowserPages.all()) {
    let endpoints = contracts.flatMap(\.operations).filter { Catalog.isForClients($0.spec) }.map { Endpoint($0) }
    let byName = Dictionary(endpoints.map { ($0.spec.name, $0) }) { first, _ in
      preconditionFailure("two operations named \(first.spec.name)")
    }
    let served = pages.filter { $0.operations.allSatisfy { byName[$0.spec.name] != nil } }
    var router = Router<Destination>()
    router.add("GET", EventStream.path, .live)
    for endpoint in SystemEndpoint.allCases { router.add("GET", endpoint.path, .system(endpoint)) }
    for page in served {
      for route in page.routes { router.add(route.method.rawValue, route.path, .page(page)) }
    }
    for endpoint in endpoints {
      if let route = endpoint.spec.route { router.add(route.method.rawValue, route.path, .operation(endpoint)) }
    }
    self.endpoints = endpoints
    self.byName = byName
    self.pages = served
    self.router = router
  }

  /// Operations without a route, and those only services may call, do not exist for clients.
  static func isForClients(_ spec: OperationSpec) -> Bool {
    if case .services = spec.caller { return false }
    return spec.route != nil
  }
}
