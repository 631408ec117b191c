import FoundationEssentials

/// Bytes, written in JSON as base64 text (RFC 4648, section 4), padded and without line breaks.
///
/// Over HTTP an operation can send or receive them as they are; see ``RawBytes``.
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

  public var description: String { Data(bytes).base64EncodedString() }

  public static let placeholder = Base64Bytes([])
  public static let schema: JSON = ["type": "string", "contentEncoding": "base64"]

  /// Nil unless the text is exactly the ``description`` of some bytes.
  private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    // Padding in the middle would make fewer bytes, and spare bits at the end other text.
    guard let data = Data(base64Encoded: Data(buffer: text)), (data.count + 2) / 3 * 4 == text.count,
      data.suffix((data.count + 2) % 3 + 1).base64EncodedString().utf8.elementsEqual(text.suffix(4))
    else { return nil }
    return Array(data)
  }
}
