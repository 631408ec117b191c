import Operations

/// The addresses with a common prefix, in CIDR notation (RFC 4632, section 3.1; RFC 4291, section 2.3); a single address is a network of
/// its own.
public struct IPNetwork: Hashable, Sendable {
  private let start: IPAddress
  private let prefix: Int

  /// - Parameter text: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`.
  public init?(_ text: String) {
    let parts = text.split(at: "/")
    guard parts.count <= 2, !text.utf8.contains(UInt8(ascii: "%")), let start = IPAddress(String(parts[0])) else { return nil }
    self.start = start
    let bits = start.bytes.count * 8
    guard parts.count == 2 else {
      prefix = bits
      return
    }
    guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let prefix = Int(parts[1]), prefix <= bits else { return nil }
    self.prefix = prefix
  }

  public func contains(_ address: IPAddress) -> Bool {
    let (own, other) = (start.bytes, address.bytes)
    guard own.count == other.count else { return false }
    return (0..<prefix).allSatisfy { bit in (own[bit / 8] ^ other[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0 }
  }
}
