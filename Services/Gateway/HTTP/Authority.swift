/// Host and port, as `Host` and the targets of requests name them (RFC 3986, section 3.2; RFC 9110, section 4.2.4: without a user).
enum Authority {
  /// Whether it is a name or an address, with a port or without, or nothing at all (RFC 9110, section 7.2).
  static func isWellFormed(_ text: Substring) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first else { return true }
    let isLiteral = first == UInt8(ascii: "[")
    let end: Substring.UTF8View.Index
    if isLiteral {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")), isAddress(bytes[..<bracket].dropFirst()) else { return false }
      end = bytes.index(after: bracket)
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      guard end > bytes.startIndex, isName(bytes[..<end]) else { return false }
    }
    guard let colon = bytes[end...].first else { return true }
    let port = bytes[end...].dropFirst()
    return colon == UInt8(ascii: ":") && port.allSatisfy { (0x30...0x39).contains($0) }
      && (port.isEmpty || UInt16(Substring(port)) != nil)
  }

  /// What may stand in brackets: an IPv6 address, by its characters.
  private static func isAddress(_ bytes: Substring.UTF8View) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy {
        PercentEncoding.hexDigit($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
      }
  }

  /// Whether it is a `reg-name`, which an IPv4 address is too.
  private static func isName(_ bytes: Substring.UTF8View) -> Bool {
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        break
      case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: "&")...UInt8(ascii: ","):
        break
      case UInt8(ascii: "%"):
        guard rest.popFirst().flatMap(PercentEncoding.hexDigit) != nil, rest.popFirst().flatMap(PercentEncoding.hexDigit) != nil
        else { return false }
      default: return false
      }
    }
    return true
  }
}
