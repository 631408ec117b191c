import NIOHTTP1
import Operations

/// Where a path leads.
enum Destination: Sendable {
  case operation(Endpoint)
  case page(any BrowserPage)
  case download(any Download)
  case system(SystemEndpoint)
  /// ``EventStream``.
  case live
}

/// All that clients may call: the operations of the contracts, and the gateway's own endpoints.
struct Catalog: Sendable {
  /// In the order of the contracts.
  let endpoints: [Endpoint]
  let byName: [String: Endpoint]
  /// Those whose operations are all served.
  let pages: [any BrowserPage]
  /// Those whose forms send files, by the path to which they send them.
  let uploadPages: [String: any UploadPage]
  /// Those whose operations are all served.
  let downloads: [any Download]
  let router: Router<Destination>

  init(_ contracts: [Contract], pages: [any BrowserPage] = BrowserPages.all()) {
    let endpoints = contracts.flatMap(\.operations).filter { Catalog.isForClients($0.spec) }.map { Endpoint($0) }
    let byName = Dictionary(endpoints.map { ($0.spec.name, $0) }) { first, _ in
      preconditionFailure("two operations named \(first.spec.name)")
    }
    let named = Set(contracts.flatMap(\.operations).map { $0.spec.name })
    let served = pages.filter { $0.operations.allSatisfy { named.contains($0.spec.name) } }
    var router = Router<Destination>()
    router.add("GET", EventStream.path, .live)
    for endpoint in SystemEndpoint.allCases { router.add("GET", endpoint.path, .system(endpoint)) }
    let downloads = Downloads.all(byName)
    for download in downloads { router.add("GET", download.route.path, .download(download)) }
    for page in served {
      for route in page.routes { router.add(route.method.rawValue, route.path, .page(page)) }
    }
    for endpoint in endpoints {
      if let route = endpoint.spec.route { router.add(route.method.rawValue, route.path, .operation(endpoint)) }
    }
    self.endpoints = endpoints
    self.byName = byName
    self.pages = served
    uploadPages = Dictionary(uniqueKeysWithValues: served.compactMap { $0 as? any UploadPage }.map { ($0.uploadPath, $0) })
    self.downloads = downloads
    self.router = router
  }

  /// The page to which a request sends a file; nil for all others.
  func uploadPage(_ head: HTTPRequestHead) -> (any UploadPage)? {
    guard head.method == .POST, !uploadPages.isEmpty, let target = RequestTarget(head.uri) else { return nil }
    return uploadPages[String(target.path)]
  }

  /// Operations without a route, and those only services may call, do not exist for clients.
  static func isForClients(_ spec: OperationSpec) -> Bool {
    if case .services = spec.caller { return false }
    return spec.route != nil
  }
}
