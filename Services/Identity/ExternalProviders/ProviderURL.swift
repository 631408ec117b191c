import Foundation

/// An address at a provider: https, or http on this very computer, to try things out. Nothing else is ever fetched.
struct ProviderURL: Hashable, Sendable, CustomStringConvertible {
  /// As it was written; issuers are compared to the letter.
  let description: String
  let isLoopback: Bool
  let hasQuery: Bool

  /// - Returns: nil for text that is not such a URL, and for one with a user, a password or a fragment.
  init?(_ text: String) {
    guard text.utf8.count <= 2000, text.utf8.allSatisfy({ Self.isOfURL($0) }), let parts = URLComponents(string: text),
      let scheme = parts.scheme, let host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil,
      parts.fragment == nil
    else { return nil }
    isLoopback = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
    guard scheme == "https" || (scheme == "http" && isLoopback) else { return nil }
    hasQuery = parts.query != nil
    description = text
  }

  /// What RFC 3986 knows: of other bytes, such as a backslash, one reader takes for part of the host what another does not.
  private static func isOfURL(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }
  }

  /// Where an issuer describes itself (OpenID Connect Discovery 1.0, section 4).
  var discovery: ProviderURL? {
    var base = description
    while base.utf8.last == UInt8(ascii: "/") { base = String(decoding: base.utf8.dropLast(), as: UTF8.self) }
    return ProviderURL(base + "/.well-known/openid-configuration")
  }

  /// The address with further fields in its query.
  func adding(_ fields: [FormFields.Field]) -> String {
    description + (hasQuery ? "&" : "?") + FormFields.text(fields)
  }
}

/// Names and values as a query or a form has them (`application/x-www-form-urlencoded`).
enum FormFields {
  typealias Field = (name: String, value: String)

  static func text(_ fields: [Field]) -> String {
    fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }

  /// Everything but the unreserved characters of RFC 3986 escaped, so that no reader can take it for anything else.
  static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}
