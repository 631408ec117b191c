import Operations
import Testing

@testable import ActivityService

@Suite("iCalendar text (RFC 5545)")
struct ICalendarTextTests {
  @Test("iCalendar text folds lines at 75 octets, never inside a character's bytes, and unfolds to the same")
  func folding() throws {
    for (character, count) in [("a", 75), ("a", 76), ("ñ", 100), ("€", 60), ("👨‍👩‍👧‍👦", 20)] {
      let line = "SUMMARY:" + String(repeating: character, count: count)
      var text = ICalendarText()
      text.line(line)
      let written = try #require(String(validating: text.bytes, as: UTF8.self))
      #expect(written.hasSuffix("\r\n"))
      let lines = written.unicodeScalars.split(separator: "\r\n".unicodeScalars).map(Array.init)
      let octets = lines.map { $0.reduce(0) { $0 + UTF8.width($1) } }
      #expect(octets.allSatisfy { $0 <= 75 } && octets.dropLast().allSatisfy { $0 > 71 })
      // By scalars: a fold may stand inside what people see as one character.
      let unfolded = lines.enumerated().flatMap { $0.offset == 0 ? $0.element[...] : $0.element.dropFirst() }
      #expect(unfolded == Array(line.unicodeScalars))
    }
  }

  @Test("iCalendar text escapes what has a meaning of its own")
  func escaping() {
    #expect(ICalendarText.escaped(#"a,b;c\d"#) == #"a\,b\;c\\d"#)
    #expect(ICalendarText.escaped("two\nlines: fine") == #"two\nlines: fine"#)
  }

  @Test("iCalendar text writes days, times and offsets")
  func values() throws {
    #expect(ICalendarText.text(try LocalDay(text: "0987-01-02")) == "09870102")
    #expect(ICalendarText.text(utc: try Instant(text: "2026-11-21T07:05:09.999Z")) == "20261121T070509Z")
    #expect(ICalendarText.text(local: -1000) == "19691231T235959")
    #expect(ICalendarText.text(offset: 5_400_000) == "+0130" && ICalendarText.text(offset: -12_600_000) == "-0330")
    #expect(ICalendarText.text(offset: 0) == "+0000" && ICalendarText.text(offset: -1_000) == "-000001")
  }
}
