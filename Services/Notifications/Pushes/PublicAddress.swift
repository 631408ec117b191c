/// Whether an address of the internet protocol is one of the public internet: globally reachable by IANA's registries of special-purpose
/// addresses (RFC 6890), and no multicast.
enum PublicAddress {
  /// - Parameter bytes: four of IPv4, or sixteen of IPv6.
  static func isPublic(_ bytes: [UInt8]) -> Bool {
    switch bytes.count {
    case 4: !privateV4.contains { $0.holds(bytes) }
    case 16: isPublicV6(bytes)
    default: false
    }
  }

  private static func isPublicV6(_ bytes: [UInt8]) -> Bool {
    // The IPv4 address in an address of a network without IPv4 (NAT64, RFC 6052).
    if translated.holds(bytes) { return isPublic(Array(bytes[12...])) }
    return global.holds(bytes) && !privateV6.contains { $0.holds(bytes) }
  }

  private struct Block {
    let start: [UInt8]
    let bits: Int

    init(_ start: [UInt8], _ bits: Int) {
      self.start = start
      self.bits = bits
    }

    func holds(_ bytes: [UInt8]) -> Bool {
      for (index, byte) in start.enumerated() where index * 8 < bits {
        let width = min(8, bits - index * 8)
        let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - width))
        guard bytes[index] & mask == byte & mask else { return false }
      }
      return true
    }
  }

  private static let privateV4 = [
    Block([0, 0, 0, 0], 8), Block([10, 0, 0, 0], 8), Block([100, 64, 0, 0], 10), Block([127, 0, 0, 0], 8),
    Block([169, 254, 0, 0], 16), Block([172, 16, 0, 0], 12), Block([192, 0, 0, 0], 24), Block([192, 0, 2, 0], 24),
    Block([192, 88, 99, 0], 24), Block([192, 168, 0, 0], 16), Block([198, 18, 0, 0], 15), Block([198, 51, 100, 0], 24),
    Block([203, 0, 113, 0], 24), Block([224, 0, 0, 0], 4), Block([240, 0, 0, 0], 4),
  ]

  private static let global = Block([0x20], 3)
  private static let translated = Block([0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96)
  /// Within ``global``: protocols' own, with Teredo; documentation; 6to4.
  private static let privateV6 = [
    Block([0x20, 0x01, 0x00, 0x00], 23), Block([0x20, 0x01, 0x0D, 0xB8], 32), Block([0x20, 0x02], 16),
    Block([0x3F, 0xFF, 0x00], 20),
  ]
}
