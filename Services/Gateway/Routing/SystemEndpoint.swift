/// What the gateway itself is asked.
enum SystemEndpoint: String, Sendable, CaseIterable {
  case livez = "/livez"
  case readyz = "/readyz"
  case metrics = "/metrics"
  case openAPI = "/openapi.json"
  case docs = "/docs"

  var path: String { rawValue }

  /// Whether it reports the gateway's health: it is answered on connections that may ask for nothing else, and draws on no budget.
  var isHealth: Bool { self == .livez || self == .readyz }
}
