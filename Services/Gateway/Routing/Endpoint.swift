import CoreMetrics
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
    timer = Timer(label: "gateway_request_duration", dimensions: [("operation", spec.name)])
    failures = Counter(label: "gateway_failures", dimensions: [("operation", spec.name)])
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
