import Foundation

/// Base 64 in its one canonical form (RFC 4648 §4, with padding): what decodes is also what would be encoded.
enum Base64 {
  static func text(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

  /// The bytes; nil for anything but canonical base 64.
  static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
    let text = Data(text)
    guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else { return nil }
    return Array(bytes)
  }
}
