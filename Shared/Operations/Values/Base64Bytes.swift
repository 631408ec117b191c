/// Bytes, which in JSON are a text in base64 (RFC 4648, section 4), padded and without line breaks.
///
/// Over HTTP an operation can let them travel as they are; see ``RawBytes``.
public struct Base64Bytes: TextValue {
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public init(text: String) throws(FieldRule) {
    var text = text
    guard let bytes = text.withUTF8(Self.decode) else { throw FieldRule("not_base64") }
    self.bytes = bytes
  }

  public init(utf8: UnsafeBufferPointer<UInt8>) throws(FieldRule) {
    guard let bytes = Self.decode(utf8) else { throw FieldRule("not_base64") }
    self.bytes = bytes
  }

  public var description: String { String(decoding: Self.encode(bytes), as: UTF8.self) }

  public static let placeholder = Base64Bytes([])
  public static let schema: JSON = ["type": "string", "contentEncoding": "base64"]

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  private static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for byte in group { bits = bits << 8 | UInt32(byte) }
      bits <<= UInt32(3 - group.count) * 8
      for position in 0..<4 {
        text.append(position <= group.count ? alphabet[Int(bits >> UInt32(18 - position * 6)) & 0x3F] : padding)
      }
    }
    return text
  }

  /// Nil unless the text is exactly what ``encode(_:)`` makes of some bytes.
  private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let pads = text.suffix(2).reversed().prefix { $0 == padding }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    for (position, character) in text.dropLast(pads).enumerated() {
      let value = values[Int(character)]
      guard value != 0xFF else { return nil }
      bits = bits << 6 | UInt32(value)
      if position % 4 == 3 {
        for shift in [UInt32(16), 8, 0] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        bits = 0
      }
    }
    switch pads {
    case 1:
      guard bits & 0x3 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
    case 2:
      guard bits & 0xF == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    default: break
    }
    return bytes
  }
}
