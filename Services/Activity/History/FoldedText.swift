import Foundation

/// A text normalised for the search: without case, accents and other marks, and with single blanks. `Qué CALOR` becomes `que calor`,
/// `straße` becomes `strasse`.
struct FoldedText: Hashable, Sendable {
  let description: String

  init(_ text: String) {
    // Upper case turns `ß` into `ss`, and `ς` and `ı` into their base letters.
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

  /// Compares scalar by scalar, as SQLite's `instr` does: a letter is found even inside a combined character.
  func contains(_ other: FoldedText) -> Bool {
    let (all, part) = (Array(description.unicodeScalars), Array(other.description.unicodeScalars))
    guard part.count <= all.count else { return false }
    return (0...all.count - part.count).contains { all[$0..<$0 + part.count].elementsEqual(part) }
  }
}
