import Operations
import ServiceKit
import Testing

@testable import ActivityService

@Suite("Local times of imported files")
struct LocalTimesTests {
  @Test(
    "A local time that comes twice is the first of the two, and one that is skipped keeps the offset before",
    arguments: [
      ("Europe/Madrid", "2026-10-25T01:30:00.000Z", "2026-10-24T23:30:00.000Z"),
      ("Europe/Madrid", "2026-10-25T02:30:00.000Z", "2026-10-25T00:30:00.000Z"),
      ("Europe/Madrid", "2026-10-25T03:30:00.000Z", "2026-10-25T02:30:00.000Z"),
      ("Europe/Madrid", "2026-03-29T01:30:00.000Z", "2026-03-29T00:30:00.000Z"),
      ("Europe/Madrid", "2026-03-29T02:30:00.000Z", "2026-03-29T01:30:00.000Z"),
      ("Europe/Madrid", "2026-03-29T03:30:00.000Z", "2026-03-29T01:30:00.000Z"),
      ("Australia/Melbourne", "2017-04-02T02:15:00.000Z", "2017-04-01T15:15:00.000Z"),
    ])
  func instants(zone: String, local: String, instant: String) throws {
    let calendar = LocalCalendar(TimeZones().offsets(zone), dayStartHour: 0)
    let time = try Instant(text: local).milliseconds
    #expect(try calendar.instant(ofLocal: time) == Instant(text: instant))
  }
}
