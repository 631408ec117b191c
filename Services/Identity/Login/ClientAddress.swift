/// The part of a network address that stands for one subscriber: an IPv4 address, or the first 64 bits of an IPv6 one.
///
/// Whoever has an IPv6 line has 2^64 addresses to guess from.
struct ClientAddress: Hashable, Sendable {
  let bytes: [UInt8]

  /// - Parameter text: an address without port; an unreadable one stands for itself.
  init(_ text: String) {
    switch NetworkAddress(text) {
    case .v4(let address): bytes = address
    case .v6(let address): bytes = Array(address[..<8])
    case nil: bytes = Array(text.utf8)
    }
  }
}
