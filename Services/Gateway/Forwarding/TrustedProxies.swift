public import Operations
public import ServiceKit

/// The reverse proxies whose statements about the client are believed (requirement GW-3).
///
/// A proxy appends its peer's address to the list that it passes on; the entries before it came from outside. So the list is read from its
/// end, past the addresses of trusted proxies; the first other address is the client. Entries written by untrusted hosts are never read.
public struct TrustedProxies: Sendable, Hashable {
  /// The header in which proxies name the client. Only one is read, since a proxy that writes one passes the other on as the client sent
  /// it.
  public enum Field: String, Choice {
    case xForwardedFor = "X-Forwarded-For"
    /// RFC 7239.
    case forwarded = "Forwarded"
  }

  public var networks: [IPNetwork] = []
  public var field = Field.xForwardedFor

  public init() {}

  func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// The client of a request that a trusted proxy forwards.
  ///
  /// Where an entry of the list is not an address, which includes names that hide one (RFC 7239, section 6), the proxy that wrote the entry
  /// counts as the client.
  ///
  /// - Parameters:
  ///   - proxy: the other end of the connection.
  ///   - values: of the fields, in their order.
  func client(behind proxy: IPAddress, _ values: [String]) -> IPAddress {
    var client = proxy
    var rest = Array(values.joined(separator: ",").utf8)[...]
    while contains(client), let hop = ForwardedHops.last(of: &rest, isQuoting: field == .forwarded) {
      guard let address = field == .forwarded ? ForwardedHops.node(hop) : ForwardedHops.address(hop) else { break }
      client = address
    }
    return client
  }
}
