import ServiceKit

/// A text normalised for the search in comments: without case, accents and other marks, and with single blanks. `Qué CALOR` becomes
/// `que calor`, `straße` becomes `strasse`.
///
/// Unlike ``SearchText`` it keeps `ø`, `ł`, `æ` and other letters that Unicode does not decompose: comments are stored in this form, as
/// are the filters over them, and would no longer match if it changed.
struct FoldedText: Hashable, Sendable {
  let description: String

  init(_ text: String) { description = String(String.UnicodeScalarView(SearchText.folded(text))) }

  var isEmpty: Bool { description.isEmpty }

  /// Compares scalar by scalar, as SQLite's `instr` does: a letter is found even inside a combined character.
  func contains(_ other: FoldedText) -> Bool {
    let (all, part) = (Array(description.unicodeScalars), Array(other.description.unicodeScalars))
    guard part.count <= all.count else { return false }
    return (0...all.count - part.count).contains { all[$0..<$0 + part.count].elementsEqual(part) }
  }
}
