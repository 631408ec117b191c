import Operations

extension RequestHeader {
  /// The 32 digits by which the logs of all services name the trace (W3C Trace Context, section 3.2.2.3).
  var traceID: String? { traceparent.flatMap(digits(ofTrace:)) }
}

extension LoggedEvent {
  /// The same for an event: the trace of the request that caused it.
  var traceID: String? { traceparent.flatMap(digits(ofTrace:)) }
}

private func digits(ofTrace traceparent: String) -> String? {
  let digits = traceparent.dropFirst(3).prefix(32)
  return digits.count == 32 ? String(digits) : nil
}
