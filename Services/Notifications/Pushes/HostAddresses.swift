import Dispatch

#if canImport(Glibc)
  import Glibc
#endif

/// The addresses of a name, resolved once, so that the connection uses the addresses that were checked.
enum HostAddresses {
  struct Address: Hashable, Sendable {
    /// In network order: 4 or 16.
    let bytes: [UInt8]
    /// As libcurl takes it.
    let text: String
  }

  private static let queue = DispatchQueue(label: "host-addresses", attributes: .concurrent)

  /// All addresses of a name; none where it has none, or cannot be resolved.
  static func find(_ host: String) async -> [Address] {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: look(host)) } }
  }

  private static func look(_ host: String) -> [Address] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [Address] = []
    var entry = list
    while let current = entry {
      if let address = current.pointee.ai_addr.flatMap({ self.address($0, current.pointee.ai_family) }) { found.append(address) }
      entry = current.pointee.ai_next
    }
    return found
  }

  private static func address(_ pointer: UnsafeMutablePointer<sockaddr>, _ family: Int32) -> Address? {
    switch family {
    case AF_INET:
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        let bytes = withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
        return Address(bytes: bytes, text: bytes.map { "\($0)" }.joined(separator: "."))
      }
    case AF_INET6:
      return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        let bytes = withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
        let groups = stride(from: 0, to: 16, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
        return Address(bytes: bytes, text: "[\(groups.joined(separator: ":"))]")
      }
    default: return nil
    }
  }
}
