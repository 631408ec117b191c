public import Operations
public import ServiceKit

/// The reverse proxies that are believed when they say whom they speak for (requirement GW-3).
///
/// A proxy adds its peer's address to the end of a list that it passes on, and what stands before that came from outside. So the list
/// is read from its end, past those that are proxies themselves; the first that is none is the client. What nobody trusted
/// has written is never looked at.
public struct TrustedProxies: Sendable, Hashable {
  /// Where proxies write it. One of both, since a proxy that writes the one passes the other on as a client sent it.
  public enum Field: String, Choice {
    case xForwardedFor = "X-Forwarded-For"
    /// RFC 7239.
    case forwarded = "Forwarded"
  }

  public var networks: [IPNetwork] = []
  public var field = Field.xForwardedFor

  public init() {}

  func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

  /// Whom a request comes from that such a proxy passes on.
  ///
  /// Where its list says nothing that is an address, which includes names that hide one (RFC 7239, section 6), the proxy that wrote that
  /// stands for the client.
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
