import IdentityContract
import Operations
import Testing

@Suite("Names, nicknames and time zones")
struct NamesTests {
  @Test(
    "Names and nicknames are trimmed and otherwise kept",
    arguments: ["Ana Ruiz", "Å", "👩‍👩‍👧‍👦", "O'Brien-López", "ใบเตย", "שָׁלוֹם"])
  func accepted(text: String) throws {
    #expect(try PersonName(text: " \(text)\u{A0}").description == text)
    #expect(try Nickname(text: text).description == text)
  }

  @Test(
    "Names and nicknames of other forms are refused",
    arguments: [
      ("", "empty"), ("   ", "empty"), (String(repeating: "ñ", count: 81), "too_long"),
      ("a" + String(repeating: "\u{301}", count: 2000), "too_many_bytes"), ("Ana\nRuiz", "control_character"),
      ("Ana\u{0}", "control_character"), ("anA\u{202E}ziuR", "control_character"), ("a\u{2028}b", "control_character"),
    ])
  func refused(text: String, code: String) {
    #expect { try PersonName(text: text) } throws: { ($0 as? FieldRule)?.code == code }
  }

  @Test("A name has at most 80 characters, a nickname 30, however many bytes they take")
  func length() throws {
    let family = "👩‍👩‍👧‍👦"
    #expect(try Nickname(text: String(repeating: "é", count: 30)).description.count == 30)
    #expect(throws: FieldRule("too_long", ["max": .number(30)])) { try Nickname(text: String(repeating: "é", count: 31)) }
    #expect(try PersonName(text: String(repeating: family, count: 40)).description.count == 40)
    #expect(try PersonName(text: String(repeating: "ñ", count: 80)).description.count == 80)
  }

  @Test(
    "Time zones in the form of names of the IANA database are accepted",
    arguments: ["UTC", "Europe/Madrid", "America/Argentina/Buenos_Aires", "Etc/GMT+3"])
  func zones(text: String) throws { #expect(try TimeZoneName(text: text).description == text) }

  @Test(
    "Texts that cannot be names of time zones are refused",
    arguments: ["", "/", "Europe/", "../etc/passwd", "Europe/Madrid\n", "1", "a/b/c/d"])
  func noZones(text: String) { #expect(throws: FieldRule("unknown_time_zone")) { try TimeZoneName(text: text) } }
}
