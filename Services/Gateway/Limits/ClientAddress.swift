import NIOCore

/// A client's address as limits count it: an IPv4 address, or the /64 network of an IPv6 one, since one person has all of it.
struct ClientAddress: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Addresses of other kinds, such as Unix sockets, count as one.
  init(_ address: SocketAddress?) {
    switch address?.protocol {
    case .inet: self.init(high: 0, low: 0xFFFF_0000_0000 | ClientAddress.number(address, at: 4, bytes: 4))
    case .inet6:
      let high = ClientAddress.number(address, at: 8, bytes: 8)
      let low = ClientAddress.number(address, at: 16, bytes: 8)
      let isMappedV4 = high == 0 && low >> 32 == 0xFFFF
      self.init(high: high, low: isMappedV4 ? low : 0)
    default: self.init(high: 0, low: 0)
    }
  }

  static func isLoopback(_ address: SocketAddress?) -> Bool {
    switch address?.protocol {
    case .inet: number(address, at: 4, bytes: 1) == 127
    case .inet6: address?.ipAddress == "::1" || address?.ipAddress?.hasPrefix("::ffff:127.") == true
    case .unix: true
    default: false
    }
  }

  /// A number in network order from the socket address: the address begins at byte 4 of a `sockaddr_in`, 8 of a `sockaddr_in6`.
  private static func number(_ address: SocketAddress?, at offset: Int, bytes: Int) -> UInt64 {
    address?.withSockAddr { pointer, size in
      UnsafeRawBufferPointer(start: pointer, count: size).dropFirst(offset).prefix(bytes).reduce(0) { $0 << 8 | UInt64($1) }
    } ?? 0
  }
}
