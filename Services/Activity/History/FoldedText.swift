import Foundation

/// A text as comments are searched: without case, accents and other marks, blanks in a row taken as one. `Qué  CALOR` is `que calor`,
/// `straße` is `strasse`.
struct FoldedText: Hashable, Sendable {
  let description: String

  init(_ text: String) {
    // By way of upper case `ß` becomes `ss`, and `ς` and `ı` become the letters that they are forms of.
    let decomposed = text.uppercased().lowercased().decomposedStringWithCompatibilityMapping
    var folded = String.UnicodeScalarView()
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
    description = String(folded)
  }

  var isEmpty: Bool { description.isEmpty }

  /// Scalar by scalar, as SQLite's `instr` compares: a letter is found in whatever it is joined with.
  func contains(_ other: FoldedText) -> Bool {
    let (all, part) = (Array(description.unicodeScalars), Array(other.description.unicodeScalars))
    guard part.count <= all.count else { return false }
    return (0...all.count - part.count).contains { all[$0..<$0 + part.count].elementsEqual(part) }
  }
}
