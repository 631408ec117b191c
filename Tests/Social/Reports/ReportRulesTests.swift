import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Rules of reports (SOC-8)")
struct ReportRulesTests {
  static let now = Instant(milliseconds: 1_795_250_580_000)
  static let (one, other) = (AccountID(), AccountID())

  @Test(
    "An account can report others, each subject once while it is pending, twenty a day and with limited bytes",
    arguments: [
      (ReportRules.Earlier(), 0, nil), (ReportRules.Earlier(isReported: true), 0, "already_reported"),
      (ReportRules.Earlier(count: 19, firstAt: now), 0, nil),
      (ReportRules.Earlier(count: 20, firstAt: now), 0, "too_many_reports"),
      (ReportRules.Earlier(bytes: ReportRules.maxBytes - 10), 10, nil),
      (ReportRules.Earlier(bytes: ReportRules.maxBytes - 10), 11, "too_many_report_bytes"),
    ] as [(ReportRules.Earlier, Int, String?)])
  func sending(earlier: ReportRules.Earlier, bytes: Int, code: String?) {
    let failure = Self.failure { () throws(Failure) in
      try ReportRules.send(from: Self.one, about: Self.other, earlier, bytes: bytes, at: Self.now)
    }
    #expect(failure?.code == code)
    let own = Self.failure { () throws(Failure) in
      try ReportRules.send(from: Self.one, about: Self.one, earlier, bytes: bytes, at: Self.now)
    }
    #expect(own?.code == "report_of_oneself")
  }

  @Test("The next report beyond the limit can be sent once the day is over", arguments: [(0, 86_400), (86_399, 1), (86_400, 1)])
  func waiting(secondsAgo: Int, seconds: Int) {
    let earlier = ReportRules.Earlier(count: 20, firstAt: Self.now.adding(seconds: -secondsAgo))
    let failure = Self.failure { () throws(Failure) in
      try ReportRules.send(from: Self.one, about: Self.other, earlier, bytes: 0, at: Self.now)
    }
    #expect(failure?.retryAfterSeconds == seconds && failure?.parameters["seconds"] == .number(seconds))
  }

  static func failure(_ body: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
      try body()
      return nil
    } catch {
      return error
    }
  }
}

@Suite("Texts to and from moderators (SOC-8)")
struct ReportTextTests {
  @Test(
    "Texts to and from moderators have 1 to 500 characters, are not blank, and contain no control characters but line breaks",
    arguments: [
      ("a", nil), (String(repeating: "é", count: 500), nil), ("two\nlines\tand more", nil), ("", "empty"),
      (" \u{200B}\n", "empty"),
      (String(repeating: "x", count: 501), "too_long"), ("a\u{7}b", "control_character"),
      ("a" + String(repeating: "\u{0301}", count: 8000), "too_many_bytes"),
    ] as [(String, String?)])
  func rules(text: String, code: String?) {
    do throws(FieldRule) {
      #expect(try ReportText(text: text).description == text)
      #expect(code == nil)
    } catch {
      #expect(error.code == code)
    }
  }
}
