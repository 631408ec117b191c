import ServiceKit

/// The header by which a load balancer names the client at the beginning of a connection: the PROXY protocol, versions 1 and 2
/// (haproxy.org, "The PROXY protocol", 2020/03/05). The rule, without I/O.
enum ProxyHeader {
  /// What the bytes at the beginning of a connection are.
  enum Reading: Hashable {
    /// So far they are the beginning of a header.
    case incomplete
    case refused
    /// A whole header of that many bytes.
    ///
    /// - Parameter client: nil where the balancer speaks for itself, or does not know.
    case whole(client: IPAddress?, length: Int)
  }

  /// With the line's end (section 2.1).
  static let maxBytesV1 = 107
  /// Room for the further values that balancers add to version 2, which are ignored. The protocol would allow 65,551.
  static let maxBytesV2 = 2048

  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  private static let word = Array("PROXY ".utf8)
  private static let fixedBytes = 16

  /// Reads the header at the beginning of the bytes, whatever stands after it.
  static func read(_ bytes: [UInt8]) -> Reading {
    guard let first = bytes.first else { return .incomplete }
    return first == signature[0] ? readV2(bytes) : readV1(bytes)
  }

  // MARK: - Version 1: a line of text

  private static func readV1(_ bytes: [UInt8]) -> Reading {
    guard zip(bytes, word).allSatisfy(==) else { return .refused }
    let window = bytes.prefix(maxBytesV1)
    guard let end = window.firstIndex(of: 0x0A) else { return window.count < maxBytesV1 ? .incomplete : .refused }
    guard end > word.count, window[end - 1] == 0x0D else { return .refused }
    let line = window[word.count..<end - 1]
    guard line.allSatisfy({ (0x20...0x7E).contains($0) }) else { return .refused }
    let fields = line.split(separator: 0x20, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    // The rest of the line is ignored.
    if fields[0] == "UNKNOWN" { return .whole(client: nil, length: end + 1) }
    guard fields.count == 5, let isV6 = ["TCP4": false, "TCP6": true][fields[0]],
      let client = address(fields[1], isV6: isV6), address(fields[2], isV6: isV6) != nil, isPort(fields[3]), isPort(fields[4])
    else { return .refused }
    return .whole(client: client, length: end + 1)
  }

  private static func address(_ text: String, isV6: Bool) -> IPAddress? {
    guard text.utf8.contains(UInt8(ascii: ":")) == isV6, !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
    return IPAddress(text)
  }

  private static func isPort(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(text) else { return false }
    return text == String(number)
  }

  // MARK: - Version 2: bytes

  private static func readV2(_ bytes: [UInt8]) -> Reading {
    guard zip(bytes, signature).allSatisfy(==) else { return .refused }
    guard bytes.count >= fixedBytes else { return .incomplete }
    let length = fixedBytes + Int(bytes[14]) << 8 + Int(bytes[15])
    guard length <= maxBytesV2 else { return .refused }
    let isLocal: Bool
    switch bytes[12] {
    case 0x20: isLocal = true
    case 0x21: isLocal = false
    default: return .refused
    }
    // How long an address of that family is; there are two of them, and two ports. Unspecified has none.
    let addressBytes: Int
    switch bytes[13] {
    case 0x00: addressBytes = 0
    case 0x11: addressBytes = 4
    case 0x21: addressBytes = 16
    // A connection that says of itself that it is datagrams or a local socket; what is local to the balancer is ignored.
    default:
      guard isLocal else { return .refused }
      addressBytes = 0
    }
    guard isLocal || addressBytes == 0 || length >= fixedBytes + 2 * addressBytes + 4 else { return .refused }
    guard bytes.count >= length else { return .incomplete }
    guard !isLocal, addressBytes > 0 else { return .whole(client: nil, length: length) }
    guard let client = IPAddress(Array(bytes[fixedBytes..<fixedBytes + addressBytes])) else { return .refused }
    return .whole(client: client, length: length)
  }
}
