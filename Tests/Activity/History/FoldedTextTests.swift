import Testing

@testable import ActivityService

@Suite("Texts folded for searching comments (T UC 03.04)")
struct FoldedTextTests {
  @Test(
    "Folded texts have no case, accents, combining marks or repeated blanks",
    arguments: [
      ("Qué  CALOR\n", "que calor"), ("Straße", "strasse"), ("ΜΆΪΟΣ μάϊος", "μαιοσ μαιοσ"), ("İstanbul", "istanbul"),
      ("e\u{301}\u{302}", "e"), ("ﬁn", "fin"), ("Ñandú", "nandu"), (" \u{200B} ", ""), ("\u{301}", ""), ("🏃🏽‍♀️ 5k", "🏃🏽♀ 5k"),
      ("日本", "日本"), ("①", "1"), ("Øl Łódź", "øl łodz"),
    ])
  func folding(text: String, folded: String) { #expect(FoldedText(text).description == folded) }

  @Test(
    "Folded texts are found in one another character by character",
    arguments: [
      ("rain", "ain", true), ("rain", "rains", false), ("Lluvia fría", "FRÍ", true), ("a b", "a  B", true), ("x", "", true),
      ("aab", "ab", true), ("cafe\u{301}", "café", true), ("🏃🏽", "🏃", true),
    ])
  func finding(text: String, part: String, isThere: Bool) { #expect(FoldedText(text).contains(FoldedText(part)) == isThere) }
}
