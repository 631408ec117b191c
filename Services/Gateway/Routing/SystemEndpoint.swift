/// What the gateway itself is asked.
enum SystemEndpoint: String, Sendable, CaseIterable {
  case livez = "/livez"
  case readyz = "/readyz"
  case metrics = "/metrics"
  case openAPI = "/openapi.json"
  case docs = "/docs"

  var path: String { rawValue }

  /// Whether it reports how the gateway is: answered to whoever is allowed to ask for nothing else, and within no budget.
  var isHealth: Bool { self == .livez || self == .readyz }
}
