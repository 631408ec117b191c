import Operations
import Testing

@Suite("Short texts that others see")
struct ShortTextTests {
  @Test("A short text is limited in characters as people count them and in bytes, and the rule names the exceeded limit")
  func length() {
    let family = "👩‍👩‍👧‍👦"
    #expect(ShortText.brokenLength(String(repeating: "ñ", count: 20), maximum: 20) == nil)
    #expect(ShortText.brokenLength(String(repeating: "🇪🇸", count: 20), maximum: 20) == nil)
    #expect(ShortText.brokenLength(String(repeating: "ñ", count: 21), maximum: 20) == FieldRule("too_long", ["max": .number(20)]))
    #expect(
      ShortText.brokenLength(String(repeating: family, count: 20), maximum: 20)
        == FieldRule("too_many_bytes", ["max": .number(320)]))
    #expect(
      ShortText.brokenLength(String(repeating: family, count: 21), maximum: 20) == FieldRule("too_long", ["max": .number(20)]))
  }

  @Test(
    "A short text cannot contain characters that control how it is shown",
    arguments: ["a\n", "\u{7}", "\u{85}", "a\u{2028}b", "a\u{2029}", "anA\u{202E}ziuR", "\u{202A}a", "\u{2066}a\u{2069}"])
  func control(text: String) { #expect(ShortText.hasControl(text)) }

  @Test(
    "A short text may be in any language, with joiners that it needs",
    arguments: ["", "Leer 📚", "👩‍👩‍👧‍👦", "ใบเตย", "שָׁלוֹם", "العربية\u{200F}!", "می\u{200C}خواهم"])
  func free(text: String) { #expect(!ShortText.hasControl(text)) }
}
