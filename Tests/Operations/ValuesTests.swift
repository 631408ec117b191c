import Foundation
import Operations
import Testing

@Suite("Values")
struct ValuesTests {
  @Test("Values of text have no blanks of any kind at their ends")
  func blank() {
    for (text, trimmed) in [
      ("  a b\n", "a b"), ("\u{200B}", ""), (" \u{FEFF}\u{2060} ", ""), ("\u{200B}ñ\u{00AD}", "ñ"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("", ""),
      ("\u{3164}", ""),
    ] {
      #expect(text.trimmed == trimmed)
      #expect(text.isBlank == trimmed.isEmpty)
    }
  }

  @Test("Ids are UUIDs of version 7, ordered by their creation, and survive conversion to text and bytes")
  func ids() throws {
    var last = AccountID()
    for _ in 0..<10_000 {
      let id = AccountID()
      #expect(id > last && id.description > last.description)
      last = id
    }
    let uuid = try #require(UUID(uuidString: last.description))
    #expect(uuid.uuid.6 >> 4 == 7 && uuid.uuid.8 >> 6 == 2)
    #expect(try AccountID(text: last.description) == last)
    #expect(AccountID(bytes: last.bytes) == last)
    #expect(abs(last.instant.milliseconds - Instant.now.milliseconds) < 5000)
    for bad in ["", "x", last.description.dropLast() + "g", last.description + "0", last.description.replacing("-", with: "")] {
      #expect(throws: FieldRule.self) { try AccountID(text: bad) }
    }
  }

  @Test(
    "Instants are RFC 3339, shown in UTC with milliseconds",
    arguments: [
      ("2026-11-21T08:43:00Z", "2026-11-21T08:43:00.000Z"), ("2026-11-21T08:43:00.1239Z", "2026-11-21T08:43:00.123Z"),
      ("2026-11-21T00:30:00+01:00", "2026-11-20T23:30:00.000Z"), ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
      ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"), ("9999-12-31T23:59:59.999-00:00", "9999-12-31T23:59:59.999Z"),
    ])
  func instants(_ text: String, _ shown: String) throws {
    #expect(try Instant(text: text).description == shown)
  }

  @Test(
    "An invalid instant is refused",
    arguments: [
      "", "2026-11-21", "2026-11-21T08:43:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z",
      "2026-11-21T08:43:00.Z", "2026-11-21T08:43:00Zx", "2026-11-21T08:43:00+25:00",
    ])
  func notInstants(_ text: String) {
    #expect(throws: FieldRule.self) { try Instant(text: text) }
  }

  @Test(
    "Bytes are base64 with padding (RFC 4648, section 10)",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
      ("\u{0}>?~", "AD4/fg=="),
    ])
  func base64(_ bytes: String, _ text: String) throws {
    #expect(Base64Bytes(Array(bytes.utf8)).description == text)
    #expect(try Base64Bytes(text: text).bytes == Array(bytes.utf8))
  }

  @Test(
    "Base64 in a form other than the canonical one is refused",
    arguments: [
      "Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zh==", "Zm9=", "=Zm9", "Zg==Zg==", "Zg==Zm9v", "Zm9v\n", " Zm9v", "Zm 9",
      "Zm9-", "Zm9_",
      "Zm9\u{E9}", "Zm9v\u{0}",
    ])
  func notBase64(_ text: String) {
    #expect(throws: FieldRule.self) { try Base64Bytes(text: text) }
  }

  @Test("Local days agree with Foundation's calendar over 400 years")
  func days() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    var day = try #require(LocalDay(year: 1800, month: 1, day: 1))
    for _ in 0..<146_097 / 7 {
      let date = Date(timeIntervalSince1970: Double(day.daysSinceEpoch) * 86400)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: date)
      #expect(day.parts == (parts.year!, parts.month!, parts.day!))
      #expect(day.weekday == (parts.weekday! + 5) % 7 + 1)
      #expect(try LocalDay(text: day.description) == day)
      day = day.advanced(by: 7)
    }
  }

  @Test(
    "The best language is chosen from Accept-Language",
    arguments: [
      (nil, Language.english), ("es", .spanish), ("es-MX,es;q=0.9,en;q=0.8", .spanish), ("fr, en;q=0.3, es;q=0.7", .spanish),
      ("de", .english), ("es;q=0", .english), ("en-GB", .english), (";;;,,q=", .english),
    ] as [(String?, Language)])
  func languages(_ header: String?, _ language: Language) {
    #expect(Language(acceptLanguage: header) == language)
  }

  @Test(
    "Usernames are checked by their rule",
    arguments: [
      ("Ana.Ruiz", "ana.ruiz"), ("abc", "abc"), ("ab", nil), ("1abc", nil), ("a b", nil), ("ñandu", nil), ("a_1", "a_1"),
      (String(repeating: "a", count: 31), nil), ("admin\u{0}", nil),
    ] as [(String, String?)])
  func usernames(_ text: String, _ username: String?) {
    #expect((try? Username(text: text))?.description == username)
  }
}
