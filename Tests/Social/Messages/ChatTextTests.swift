import Operations
import SocialContract
import Testing

@Suite("The text of a message")
struct ChatTextTests {
  @Test(
    "The text of a message is accepted as written",
    arguments: [
      "a", "two\nlines\r\nand\ta tab", String(repeating: "x", count: 2000), String(repeating: "👩‍👩‍👧‍👦", count: 600),
      "¿Qué tal? 日本語 العربية", "\u{2067}שלום\u{2069}, Ana",
    ])
  func taken(text: String) throws {
    #expect(try ChatText(text: text).description == text)
  }

  @Test(
    "An invalid text of a message is refused with the rule it breaks",
    arguments: [
      ("", "empty"), (" \n\t ", "empty"), ("\u{00A0}\u{2003}", "empty"), (String(repeating: "x", count: 2001), "too_long"),
      // Few characters, but each of them heavy.
      (String(repeating: "a" + String(repeating: "\u{0301}", count: 100), count: 90), "too_many_bytes"),
      ("bell \u{7}", "control_character"), ("escape \u{1B}[2J", "control_character"), ("\u{85}x", "control_character"),
    ])
  func refused(text: String, code: String) {
    #expect { try ChatText(text: text) } throws: { ($0 as? FieldRule)?.code == code }
  }
}
