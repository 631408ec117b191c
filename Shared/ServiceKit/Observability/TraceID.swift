import Operations

extension RequestHeader {
  /// The 32 digits by which the logs of all services name the trace (W3C Trace Context, section 3.2.2.3).
  var traceID: String? {
    guard let digits = traceparent?.dropFirst(3).prefix(32), digits.count == 32 else { return nil }
    return String(digits)
  }
}
