import NIOCore
import ServiceKit

extension IPAddress {
  /// The address of a socket; nil for other kinds, such as Unix sockets.
  init?(_ address: SocketAddress?) {
    // The address begins at byte 4 of a `sockaddr_in`, 8 of a `sockaddr_in6`.
    let field: (offset: Int, count: Int)? =
      switch address?.protocol {
      case .inet: (4, 4)
      case .inet6: (8, 16)
      default: nil
      }
    guard let address, let field else { return nil }
    let bytes = address.withSockAddr { pointer, size in
      Array(UnsafeRawBufferPointer(start: pointer, count: size).dropFirst(field.offset).prefix(field.count))
    }
    self.init(bytes)
  }
}

extension ClientAddress {
  /// Addresses of other kinds, such as Unix sockets, count as one.
  init(_ address: SocketAddress?) { self = IPAddress(address).map { ClientAddress($0) } ?? .other("") }
}
