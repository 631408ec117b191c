import Foundation

/// Base64 for addresses, tokens and cursors, without padding (RFC 4648, section 5).
public enum Base64URL {
  public static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The bytes, or nil unless the text is exactly what ``encode(_:)`` makes of them.
  public static func decode(_ text: String) -> [UInt8]? {
    let padded =
      text.replacing("-", with: "+").replacing("_", with: "/") + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: padded), encode(Array(data)) == text else { return nil }
    return Array(data)
  }
}
