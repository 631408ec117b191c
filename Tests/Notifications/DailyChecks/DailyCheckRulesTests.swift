import NotificationsContract
import Operations
import ServiceKit
import Testing

@testable import NotificationsService

@Suite("Which accounts are looked at in the evening, and when (NOT-5)")
struct DailyCheckRulesTests {
  @Test(
    "An account is looked at once a day from six in the evening where it is, and not while it is suspended",
    arguments: [
      ("UTC", nil, false, "2026-11-18T17:00:00.000Z", "wait until 2026-11-18T18:00:00.000Z"),
      ("UTC", nil, false, "2026-11-18T18:00:00.000Z", "check on 2026-11-18, next 2026-11-19T18:00:00.000Z"),
      ("UTC", "2026-11-17", false, "2026-11-18T23:59:00.000Z", "check on 2026-11-18, next 2026-11-19T18:00:00.000Z"),
      ("UTC", "2026-11-18", false, "2026-11-18T20:00:00.000Z", "wait until 2026-11-19T18:00:00.000Z"),
      ("UTC", nil, true, "2026-11-18T17:00:00.000Z", "wait until 2026-11-18T18:00:00.000Z"),
      ("UTC", nil, true, "2026-11-18T20:00:00.000Z", "wait until 2026-11-19T18:00:00.000Z"),
      // Never for less than a minute.
      ("UTC", nil, false, "2026-11-18T17:59:30.000Z", "wait until 2026-11-18T18:00:30.000Z"),
      ("America/New_York", nil, false, "2026-11-18T20:00:00.000Z", "wait until 2026-11-18T23:00:00.000Z"),
      ("America/New_York", nil, false, "2026-11-18T23:00:00.000Z", "check on 2026-11-18, next 2026-11-19T23:00:00.000Z"),
    ] as [(String, String?, Bool, String, String)])
  func step(zone: String, last: String?, isSuspended: Bool, now: String, expected: String) throws {
    let step = DailyCheckRules.step(
      lastDay: try last.map { try LocalDay(text: $0) }, isSuspended: isSuspended, at: try Instant(text: now),
      LocalCalendar(TimeZones().offsets(zone), dayStartHour: 0))
    let found =
      switch step {
      case .check(on: let day, next: let next): "check on \(day), next \(next)"
      case .wait(until: let instant): "wait until \(instant)"
      }
    #expect(found == expected)
  }

  @Test(
    "An account takes part once it has switched on one of the kinds or its category, by any channel",
    arguments: [
      (.kind("offerEnding"), .inbox), (.kind("leaderboardPositionsLost"), .email), (.category(.social), .push),
    ] as [(PreferenceChoices.Topic, NotificationChannel)])
  func takesPart(topic: PreferenceChoices.Topic, channel: NotificationChannel) {
    let on = PreferenceChoices(isOn: [PreferenceChoices.Key(topic, channel): true])
    #expect(DailyCheckRules.takesPart(on))
    let off = PreferenceChoices(isOn: [PreferenceChoices.Key(topic, channel): false])
    #expect(!DailyCheckRules.takesPart(off))
  }

  @Test("An account takes no part that has chosen nothing, or other kinds alone")
  func takesNoPart() {
    let none = PreferenceChoices()
    #expect(!DailyCheckRules.takesPart(none))
    let other = PreferenceChoices(isOn: [PreferenceChoices.Key(.kind("weeklySummary"), .email): true])
    #expect(!DailyCheckRules.takesPart(other))
  }
}
