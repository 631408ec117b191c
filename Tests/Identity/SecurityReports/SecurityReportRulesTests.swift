import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("When security reports are due (ID-15)")
struct SecurityReportRulesTests {
  /// A Saturday.
  private let now = try! Instant(text: "2026-11-21T08:43:00.000Z")
  private let longAgo = try! Instant(text: "2020-01-01T00:00:00.000Z")

  private func days(_ schedule: ReportSchedule, began: Instant? = nil, made: Set<ReportSpan> = []) -> [String] {
    SecurityReportRules.due(schedule, now: now, began: began ?? longAgo, made: made).map {
      "\($0.period) \($0.firstDay) \($0.lastDay)"
    }
  }

  @Test("Security reports are due for past days and weeks, as far back as the limit, and for no others")
  func due() throws {
    #expect(days(.none).isEmpty)
    #expect(days(.daily).count == 7)
    #expect(days(.daily).first == "daily 2026-11-14 2026-11-14" && days(.daily).last == "daily 2026-11-20 2026-11-20")
    #expect(days(.weekly).first == "weekly 2026-10-19 2026-10-25" && days(.weekly).last == "weekly 2026-11-09 2026-11-15")
    #expect(days(.both).count == 11)
    // Nothing of the time before there was anything to report.
    let began = try Instant(text: "2026-11-19T23:59:59.000Z")
    #expect(days(.both, began: began) == ["daily 2026-11-19 2026-11-19", "daily 2026-11-20 2026-11-20"])
    let made = Set(SecurityReportRules.due(.daily, now: now, began: longAgo, made: []).dropLast())
    #expect(days(.daily, made: made) == ["daily 2026-11-20 2026-11-20"])
  }

  @Test(
    "A security report's span has its first and last day, at the borders of days and weeks",
    arguments: [
      ("2026-11-16T00:00:00.000Z", "2026-11-16", "2026-11-16"), ("2026-11-15T23:59:59.999Z", "2026-11-15", "2026-11-09"),
      ("1969-12-31T23:59:59.999Z", "1969-12-31", "1969-12-29"), ("2024-02-29T12:00:00.000Z", "2024-02-29", "2024-02-26"),
    ])
  func spans(instant: String, day: String, monday: String) throws {
    let instant = try Instant(text: instant)
    #expect(SecurityReportRules.span(.daily, at: instant).firstDay.description == day)
    let week = SecurityReportRules.span(.weekly, at: instant)
    #expect(week.firstDay.description == monday && week.instants.contains(instant))
    #expect(week.before.instants.upperBound == week.instants.lowerBound)
  }

  @Test("Incidents in a security report are ranked by severity, then by number")
  func ranking() {
    func incident(_ severity: SecuritySeverity, _ count: Int) -> ReportedIncident {
      ReportedIncident(incidentID: ID(), pattern: .addressGuessing, severity: severity, accountID: nil, count: count)
    }
    let ranked = SecurityReportRules.ranked([
      incident(.warning, 90), incident(.critical, 2), incident(.critical, 7), incident(.info, 99),
    ])
    #expect(ranked.map(\.count) == [7, 2, 90, 99])
  }
}
