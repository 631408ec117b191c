#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The part of a network address that stands for one subscriber: an IPv4 address, or the first 64 bits of an IPv6 one.
///
/// Whoever has an IPv6 line has 2^64 addresses to guess from.
struct ClientAddress: Hashable, Sendable {
  let bytes: [UInt8]

  /// - Parameter text: an address without port; an unreadable one stands for itself.
  init(_ text: String) {
    var v6 = in6_addr()
    var v4 = in_addr()
    let host = text.split(separator: "%", maxSplits: 1).first.map(String.init) ?? text
    if inet_pton(AF_INET, host, &v4) == 1 {
      bytes = withUnsafeBytes(of: &v4) { Array($0) }
    } else if inet_pton(AF_INET6, host, &v6) == 1 {
      let all = withUnsafeBytes(of: &v6) { Array($0) }
      let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
      bytes = isMapped ? Array(all[12...]) : Array(all[..<8])
    } else {
      bytes = Array(text.utf8)
    }
  }
}
