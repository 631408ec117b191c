import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A network address, in network order. An IPv4 address mapped into IPv6 (RFC 4291, section 2.5.5.2) is the IPv4 one.
public enum IPAddress: Hashable, Sendable {
  case v4([UInt8])
  case v6([UInt8])

  /// - Parameter text: an address without port; its zone (RFC 4007, section 11) is ignored.
  public init?(_ text: String) {
    var v6 = in6_addr()
    var v4 = in_addr()
    // What follows a null byte would be ignored by the C function.
    guard !text.utf8.contains(0) else { return nil }
    let host = String(text.split(at: "%", maxSplits: 1)[0])
    if inet_pton(AF_INET, host, &v4) == 1 {
      self = .v4(withUnsafeBytes(of: &v4) { Array($0) })
    } else if inet_pton(AF_INET6, host, &v6) == 1 {
      self.init(withUnsafeBytes(of: &v6) { Array($0) })
    } else {
      return nil
    }
  }

  /// - Parameter bytes: 4 or 16, in network order.
  public init?(_ bytes: [UInt8]) {
    switch bytes.count {
    case 4: self = .v4(bytes)
    case 16:
      let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
      self = isMapped ? .v4(Array(bytes[12...])) : .v6(bytes)
    default: return nil
    }
  }

  /// 4 or 16.
  public var bytes: [UInt8] {
    switch self {
    case .v4(let bytes), .v6(let bytes): bytes
    }
  }

  /// Whether the address is the machine itself (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
  public var isLoopback: Bool {
    switch self {
    case .v4(let bytes): bytes[0] == 127
    case .v6(let bytes): bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }
  }

  /// Whether the address is valid only within a network of its own (RFC 1918; RFC 3927; RFC 4193; RFC 4291, section 2.5.6).
  public var isPrivate: Bool {
    switch self {
    case .v4(let bytes):
      switch (bytes[0], bytes[1]) {
      case (10, _), (172, 16...31), (192, 168), (169, 254): true
      default: false
      }
    case .v6(let bytes): bytes[0] & 0xFE == 0xFC || (bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80)
    }
  }

  /// The network of the address, as networks are assigned and distinguished: an IPv4 /24, an IPv6 /48.
  public var network: String {
    switch self {
    case .v4(let bytes): "\(bytes[0]).\(bytes[1]).\(bytes[2]).0/24"
    case .v6(let bytes): IPAddress.text(v6: bytes.prefix(6) + [UInt8](repeating: 0, count: 10)) + "/48"
    }
  }

  /// The text without zone: dotted, or canonical (RFC 5952).
  public var text: String {
    switch self {
    case .v4(let bytes): bytes.map { String($0) }.joined(separator: ".")
    case .v6(let bytes): IPAddress.text(v6: bytes)
    }
  }

  /// The canonical text (RFC 5952).
  private static func text(v6 bytes: [UInt8]) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = inet_ntop(AF_INET6, bytes, &buffer, socklen_t(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
