import Crypto
import Foundation
import Operations

/// Builds HTML from text that is escaped.
struct HTML: ExpressibleByStringInterpolation, CustomStringConvertible {
  let description: String

  /// Takes the text as HTML.
  init(raw: String) { description = raw }

  init(stringLiteral value: String) { description = value }

  init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

  /// What stands in `\(…)` is escaped, unless it is HTML itself.
  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ html: HTML) { text += html.description }
    mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.description } }
    mutating func appendInterpolation(_ text: some StringProtocol) { self.text += HTML.escape(text) }
  }

  static func escape(_ text: some StringProtocol) -> String { Markup.escaped(text) }

  /// How a content security policy names a style or script that stands in its page (CSP 3, section 8.4).
  static func hash(of text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
  }

  /// Text whose parts between backquotes are code.
  static func text(_ text: String) -> HTML {
    let parts = text.split(at: "`")
    return HTML(raw: parts.enumerated().map { $0 % 2 == 1 ? "<code>\(escape($1))</code>" : escape($1) }.joined())
  }
}
