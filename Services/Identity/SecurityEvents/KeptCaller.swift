import Operations

extension Caller {
  /// Most bytes of an address that are kept: more than any has.
  static let maxAddressBytes = 64
  /// Most bytes of what a client says of itself that are kept.
  static let maxUserAgentBytes = 256

  /// The client's address as it is kept.
  var keptAddress: String? { address?.beginning(maxBytes: Caller.maxAddressBytes) }

  /// What the client says of itself as it is kept.
  var keptUserAgent: String? { userAgent?.beginning(maxBytes: Caller.maxUserAgentBytes) }
}
