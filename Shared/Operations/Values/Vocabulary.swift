/// Type tags for ids that more than one service uses; the objects themselves live in their services.
public enum Account {}
public enum Session {}

/// A person's account, the same in all services.
public typealias AccountID = ID<Account>
/// One signed-in device of an account.
public typealias SessionID = ID<Session>

/// The languages Racha speaks.
public enum Language: String, Choice {
  case english = "en"
  case spanish = "es"

  /// The best language for an `Accept-Language` header (RFC 9110, section 12.5.4); English if it asks for neither.
  public init(acceptLanguage header: String?) {
    var best = (quality: 0.0, language: Language.english)
    for part in (header ?? "").beginning(maxBytes: 1000).split(at: ",") {
      let pieces = part.split(at: ";")
      let range = String(decoding: pieces[0].withoutBlanks.utf8.prefix(2), as: UTF8.self).asciiLowercased
      guard let language = Language(rawValue: range) else { continue }
      var quality = 1.0
      for piece in pieces.dropFirst() {
        let parameter = String(decoding: piece.utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        if parameter.begins(with: "q=") { quality = Double(parameter.dropFirst(2)) ?? 0 }
      }
      if quality > best.quality { best = (quality, language) }
    }
    self = best.language
  }
}

/// The name a person is known by: 3 to 30 of `a-z`, `0-9`, `_`, `.`, beginning with a letter; upper case is folded to lower.
public struct Username: TextValue {
  public let description: String

  public init(text: String) throws(FieldRule) {
    let folded = text.asciiLowercased
    let allowed = folded.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }
    guard (3...30).contains(folded.utf8.count), allowed, let first = folded.utf8.first, (0x61...0x7A).contains(first) else {
      throw FieldRule("invalid_username")
    }
    description = folded
  }

  public static let placeholder = try! Username(text: "nobody")

  public static let schema: JSON = [
    "type": "string", "minLength": 3, "maxLength": 30, "pattern": "^[A-Za-z][A-Za-z0-9_.]{2,29}$", "examples": ["ana.ruiz"],
  ]
}
