import Foundation

/// A text as searches compare it, in the directory and in messages: without case, accents and other marks, with runs of blanks as one.
/// `Ñusta  Ólafs` is `nusta olafs`, and `straße` is `strasse`.
public struct SearchText: Sendable, Hashable {
  /// Letters with a stroke, and ligatures, which Unicode does not decompose.
  private static let plain: [Unicode.Scalar: String] = [
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th",
  ]

  public let scalars: [Unicode.Scalar]

  public init(_ text: String) {
    var scalars: [Unicode.Scalar] = []
    for scalar in Self.folded(text) {
      if let plain = Self.plain[scalar] {
        scalars += plain.unicodeScalars
      } else {
        scalars.append(scalar)
      }
    }
    self.scalars = scalars
  }

  /// The text without case, accents and other marks, and with single blanks, in which `ø` and the like are still letters of their own.
  public static func folded(_ text: String) -> [Unicode.Scalar] {
    // By way of upper case `ß` becomes `ss`, and `ς` and `ı` become the letters that they are forms of.
    let decomposed = text.uppercased().lowercased().decomposedStringWithCompatibilityMapping
    var folded: [Unicode.Scalar] = []
    for scalar in decomposed.unicodeScalars {
      if scalar.properties.isWhitespace {
        if folded.last != " " { folded.append(" ") }
        continue
      }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format, .control: continue
      default: folded.append(scalar)
      }
    }
    if folded.first == " " { folded.removeFirst() }
    if folded.last == " " { folded.removeLast() }
    return folded
  }

  public var string: String { String(String.UnicodeScalarView(scalars)) }
}
