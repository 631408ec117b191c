import ActivityContract
import ActivityService
import Foundation
import GRDB
import InProcess
import Operations
import Storage
import Testing

@Suite("The iCalendar feed (ACT-16)")
struct CalendarFeedTests {
  private func read(_ services: ServicesInProcess, _ link: CalendarFeedLink) async throws -> MediaFile {
    // By anybody who has the link.
    try await services.register().send(GetCalendarFeed.self, .init(key: link.key))
  }

  @Test("The iCalendar feed is read by its secret link, which is kept as a hash only, and shown once")
  func link() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      #expect(try await ana.send(GetCalendarFeedLink.self, .init()).createdAt == nil)
      let link = try await ana.send(CreateCalendarFeedLink.self, .init())
      #expect(link.path == "/v1/calendar-feeds/\(link.key)" && link.key.utf8.count == 43)
      #expect(try await ana.send(GetCalendarFeedLink.self, .init()).createdAt == link.createdAt)
      let file = try await read(services, link)
      #expect(file.mediaType == "text/calendar; charset=utf-8")
      #expect(String(decoding: file.content.bytes, as: UTF8.self).hasPrefix("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"))
      let kept = try await services.store(of: .activity).read { database in
        try Row.fetchAll(database, sql: "SELECT hex(account_id), hex(key_hash), created_at FROM calendar_feeds").map(
          \.description)
      }
      #expect(kept.count == 1 && !kept[0].contains(Array(link.key.utf8).map { String($0, radix: 16, uppercase: true) }.joined()))
    }
  }

  @Test("A new link to the iCalendar feed replaces the old one; revoked and unknown links are not found")
  func rotation() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let first = try await ana.send(CreateCalendarFeedLink.self, .init())
      let other = try await ben.send(CreateCalendarFeedLink.self, .init())
      let second = try await ana.send(CreateCalendarFeedLink.self, .init())
      #expect(try await ben.failure(GetCalendarFeed.self, .init(key: first.key)) == "not_found")
      _ = try await read(services, second)
      _ = try await ana.send(RevokeCalendarFeedLink.self, .init())
      _ = try await ana.send(RevokeCalendarFeedLink.self, .init())
      #expect(try await ben.failure(GetCalendarFeed.self, .init(key: second.key)) == "not_found")
      #expect(try await ben.failure(GetCalendarFeed.self, .init(key: "x")) == "not_found")
      // Another's is as it was.
      _ = try await read(services, other)
    }
  }

  @Test("A replaced link to the feed answers 404 at once, like one that never existed")
  func replaced() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      _ = try await ana.makeActivity(title: "Secret")
      let old = try await ana.send(CreateCalendarFeedLink.self, .init())
      _ = try await read(services, old)
      let new = try await ana.send(CreateCalendarFeedLink.self, .init())
      #expect(new.key != old.key)
      for key in [old.key, String(old.key.reversed())] {
        let failure = await #expect(throws: Failure.self) { try await ben.send(GetCalendarFeed.self, .init(key: key)) }
        #expect(failure?.status == 404 && failure?.code == "not_found")
      }
      _ = try await read(services, new)
    }
  }

  @Test("The iCalendar feed ends with its account (ID-12)")
  func erased() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let link = try await ana.send(CreateCalendarFeedLink.self, .init())
      _ = try await read(services, link)
      try await services.delete(ana, receivedBy: .activity)
      let ben = try await services.register()
      #expect(try await ben.failure(GetCalendarFeed.self, .init(key: link.key)) == "not_found")
      #expect(try await services.store(of: .activity).rows("calendar_feeds") == 0)
    }
  }

  @Test("The iCalendar feed's tag changes when its content does, and not otherwise")
  func tag() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let link = try await ana.send(CreateCalendarFeedLink.self, .init())
      let activity = try await ana.makeActivity()
      let first = try await read(services, link)
      try services.clock.set("2026-12-24T12:00:00.000Z")
      #expect(try await read(services, link) == first)
      _ = try await ana.send(UpdateActivity.self, .init(activityID: activity.id, title: .set("Other")))
      #expect(try await read(services, link).tag != first.tag)
    }
  }

  @Test(
    "The iCalendar feed shows each activity on its days, at its reminders in local time, and no archived ones",
    .enabled(if: CalendarProgram.python != nil, "needs RACHA_TEST_PYTHON with icalendar"))
  func events() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-03-20T12:00:00.000Z") { services in
      let ana = try await services.register(timeZone: "Europe/Madrid", dayStartHour: 4, language: .spanish)
      func make(_ title: String, _ schedule: Schedule, _ reminders: [String], goal: Goal = .check) async throws -> Activity {
        try await ana.send(
          CreateActivity.self,
          .init(
            title: title, reason: "Porque sí; y, \\ya", category: .other, goal: goal, schedule: schedule,
            reminders: reminders.map { try ReminderTime(text: $0) }, tags: [Tag(text: "a, b"), Tag(text: "c")]))
      }
      let all = try await make("Día, entero", .weekdays([7]), [])
      let timed = try await make("Con hora", .weekdays([7]), ["21:00", "07:30", "02:00"], goal: .duration(seconds: 1800))
      let late = try await make("De madrugada", .weekdays([7]), ["02:30"])
      let away = try await make("Archivada", .daily, [])
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: away.id))
      let link = try await ana.send(CreateCalendarFeedLink.self, .init())
      let shown = try CalendarProgram.show(
        try await read(services, link).content.bytes, from: "2026-03-21", to: "2026-04-04")
      #expect(shown.name == "Mis actividades" && shown.zones["Europe/Madrid"] == [3600, 7200])
      #expect(shown.events.map(\.summary) == ["Día, entero", "Con hora", "De madrugada"])
      #expect(Set(shown.events.map(\.uid)).count == 3)
      let first = shown.events[0]
      #expect(first.uid.hasPrefix(all.id.description) && first.description == "Porque sí; y, \\ya")
      #expect(first.categories == ["a, b", "c"] && first.isDay && first.alarms.isEmpty)
      #expect(first.starts == ["2026-03-22", "2026-03-29"])
      // Summer time begins on the 29th. The reminder at 2 in the night is the day's last, for days start at 4.
      let second = shown.events[1]
      #expect(second.uid.hasPrefix(timed.id.description) && second.seconds == 1800)
      #expect(second.starts == ["2026-03-22T07:30", "2026-03-29T07:30"])
      #expect(
        second.alarms == [
          ["2026-03-22T06:30", "2026-03-29T05:30"], ["2026-03-22T20:00", "2026-03-29T19:00"],
          ["2026-03-23T01:00", "2026-03-30T00:00"],
        ])
      let third = shown.events[2]
      #expect(third.uid.hasPrefix(late.id.description) && third.isDay && third.starts == ["2026-03-22", "2026-03-29"])
      #expect(third.alarms == [["2026-03-23T02:30", "2026-03-30T02:30"]])
    }
  }

  @Test(
    "The iCalendar feed shows the days before a changed schedule as they were",
    .enabled(if: CalendarProgram.python != nil, "needs RACHA_TEST_PYTHON with icalendar"))
  func versions() async throws {
    // A Saturday.
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity(startDay: "2026-11-18")
      _ = try await ana.send(
        UpdateActivity.self,
        .init(activityID: activity.id, schedule: .set(.weekdays([1])), endDay: .set(try LocalDay(text: "2026-12-07"))))
      let link = try await ana.send(CreateCalendarFeedLink.self, .init())
      let shown = try CalendarProgram.show(
        try await read(services, link).content.bytes, from: "2026-11-01", to: "2027-03-01")
      #expect(
        shown.events.flatMap(\.starts).sorted() == [
          "2026-11-18", "2026-11-19", "2026-11-20", "2026-11-23", "2026-11-30", "2026-12-07",
        ])
      #expect(shown.events.map(\.uid) == ["\(activity.id)@racha", "\(activity.id)-20261121@racha"])
    }
  }

  @Test("The iCalendar feed of a thousand activities is smaller than the bus's largest message")
  func large() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<1000 {
          group.addTask {
            _ = try await ana.send(
              CreateActivity.self,
              .init(title: "Activity \(number)", category: .other, goal: .check, schedule: .daily))
          }
        }
        try await group.waitForAll()
      }
      // Three times each, as from before they were bounded.
      try await services.store(of: .activity).write { transaction in
        try transaction.database.execute(
          sql: """
            INSERT INTO activity_reminders (activity_id, minute)
            SELECT activity_id, minute FROM activities, (SELECT 450 AS minute UNION SELECT 720 UNION SELECT 1260)
            """)
      }
      let link = try await ana.send(CreateCalendarFeedLink.self, .init())
      let text = String(decoding: try await read(services, link).content.bytes, as: UTF8.self)
      #expect(text.utf8.count < 701_000 && text.hasSuffix("END:VCALENDAR\r\n"))
      #expect(text.components(separatedBy: "BEGIN:VEVENT").count == text.components(separatedBy: "END:VEVENT").count)
      #expect(text.components(separatedBy: "BEGIN:VEVENT").count > 700)
    }
  }
}
