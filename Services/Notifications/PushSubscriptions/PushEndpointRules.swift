import NotificationsContract
import Operations
import ServiceKit

/// To which endpoints is pushed: those on the public internet by https, and those of one's own push services.
///
/// Of others only port 443 is called, where push services are: an endpoint is whatever an account says it is, and behind other ports there
/// are services that expect no calls from here.
struct PushEndpointRules: Sendable, Hashable {
  /// Scheme, host and port of one's own push services, whatever their scheme and addresses.
  var ownOrigins: Set<String> = []

  /// Whether the endpoint belongs to one of the operator's own push services.
  func isOwn(_ endpoint: PushEndpoint) -> Bool { ownOrigins.contains(endpoint.origin) }

  /// Whether it may be pushed to, as far as it shows: of a name, its addresses are looked at when it is pushed to.
  func allows(_ endpoint: PushEndpoint) -> Bool {
    if isOwn(endpoint) { return true }
    let labels = endpoint.host.split(separator: ".", omittingEmptySubsequences: false)
    // An address in any of its forms ends with digits (WHATWG URL, "ends in a number"); push services have names.
    guard endpoint.isSecure, endpoint.port == 443, labels.count > 1, labels.allSatisfy({ (1...63).contains($0.utf8.count) }),
      let last = labels.last?.utf8
    else { return false }
    return last.first.map { (0x61...0x7A).contains($0) } == true
  }
}
