import ActivityContract
import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Due reminders (NOT-2; H CU-22 steps 11 and 12)", .timeLimit(.minutes(1)))
struct ReminderTests {
  /// Half an hour before 07:30 in Madrid, a Saturday.
  private static let morning = "2026-11-21T06:00:00.000Z"

  /// Stands in for notifications: it only publishes.
  static let notifications: ServicesInProcess.Build = { _ in ServiceDefinition(.notifications, migrations: []) }

  private func running(
    at now: String = morning, home: String? = nil, identity: IdentityDouble = IdentityDouble(),
    _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    try await ServicesInProcess.running(
      [{ Activities.service($0) }, Self.notifications], identity: identity, at: now, home: home, body)
  }

  private func events<E: Event>(_ event: E.Type, _ services: ServicesInProcess) async throws -> [E] {
    try await services.published(by: .activity).filter { $0.name == E.spec.name }.map { try E.decode($0.body) }
  }

  private func due(_ count: Int, _ services: ServicesInProcess) async throws -> [ReminderDue] {
    try await services.store(of: .activity).until(within: .seconds(20)) {
      try await events(ReminderDue.self, services).count >= count
    }
    return try await events(ReminderDue.self, services)
  }

  private func day(_ text: String) throws -> LocalDay { try LocalDay(text: text) }

  @Test(
    "H CU-22 11-12: a due reminder comes once, and not if its day is done, closed, free or timed or its owner suspended"
  )
  func decided() async throws {
    try await running { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      let eve = try await services.register(timeZone: "Europe/Madrid")
      func make(_ title: String, _ goal: Goal = .check, _ schedule: Schedule = .daily, by person: Person? = nil) async throws
        -> ActivityID
      {
        try await (person ?? ana).makeReminded(title, ["07:30"], goal: goal, schedule: schedule, startDay: "2026-11-16").id
      }
      let today = DayName.today
      let walk = try await make("Walk")
      _ = try await ana.send(RecordEntry.self, .init(activityID: make("Done"), day: today, isDone: true))
      _ = try await ana.send(CreateSkip.self, .init(activityID: make("Skipped"), day: today))
      _ = try await ana.send(CreatePause.self, .init(activityID: make("Paused"), lastDay: try day("2026-11-25")))
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: make("Archived")))
      _ = try await make("Mondays", .check, .weekdays([1]))
      _ = try await ana.send(StartTimer.self, .init(activityID: make("Timer", .duration(seconds: 600))))
      let weekly = try await make("Once a week", .check, .timesAWeek(1))
      _ = try await ana.send(RecordEntry.self, .init(activityID: weekly, day: .day(try day("2026-11-16")), isDone: true))
      let limit = try await make("Exceeded", .quantity(2, unit: "cups", .atMost))
      _ = try await ana.send(RecordEntry.self, .init(activityID: limit, day: today, amount: 3))
      let partly = try await make("Partly", .quantity(2, unit: "litres"))
      _ = try await ana.send(RecordEntry.self, .init(activityID: partly, day: today, amount: 1))
      _ = try await make("Suspended", by: eve)
      try await services.change(eve, receivedBy: .activity) { $0.suspendedUntil = try Instant(text: "2027-01-01T00:00:00.000Z") }

      try services.clock.set("2026-11-21T06:30:00.000Z")
      let sent = try await due(2, services)
      #expect(sent.map(\.title).sorted() == ["Partly", "Walk"])
      let event = try #require(sent.first { $0.activityID == walk })
      #expect(event.accountID == ana.id && event.day.description == "2026-11-21" && event.time.description == "07:30")
      #expect(event.dueAt == services.clock.now && !event.isMissed && !event.isAgain)
      #expect(event.endsAt.description == "2026-11-21T23:00:00.000Z")
      // The next day, but for those that rest, and without those that are put away.
      try services.clock.set("2026-11-22T06:30:00.000Z")
      let next = try await due(7, services).dropFirst(2)
      #expect(next.map(\.title).sorted() == ["Done", "Exceeded", "Partly", "Skipped", "Walk"])
    }
  }

  @Test("Reminders over 30 minutes late are recorded as missed, once for each day, also after a restart")
  func late() async throws {
    let (home, identity) = ("/tmp/racha-rem-\(UInt32.random(in: .min ... .max))", IdentityDouble())
    defer { try? FileManager.default.removeItem(atPath: home) }
    let ana = try identity.person("ana")
    try await running(home: home, identity: identity) { services in
      let person = Person(bus: services.gateway, caller: ana.caller)
      _ = try await person.makeReminded("Walk", ["07:30"])
      try services.clock.set("2026-11-21T07:59:59.999Z")
      #expect(try await due(1, services).map(\.isMissed) == [false])
      try services.clock.set("2026-11-22T08:00:00.000Z")
      #expect(try await due(2, services).map(\.isMissed) == [false, true])
    }
    try await running(at: "2026-11-25T07:45:00.000Z", home: home, identity: identity) { services in
      let all = try await due(5, services)
      #expect(all.map(\.isMissed) == [false, true, true, true, false])
      #expect(all.map { "\($0.day)".suffix(2) } == ["21", "22", "23", "24", "25"])
      #expect(Set(all.map(\.reminderID)).count == 5)
    }
  }

  @Test(
    "A changed time zone or start of the day moves pending reminders, repeats none, and logs skipped ones as missed")
  func moved() async throws {
    try await running { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      _ = try await ana.makeReminded("Walk", ["07:30"])
      try await services.move(ana, to: "America/New_York", receivedBy: .activity)
      try services.clock.set("2026-11-21T12:30:00.000Z")
      let first = try await due(1, services)
      #expect(first[0].dueAt == services.clock.now && first[0].day.description == "2026-11-21")
      try await services.move(ana, to: "Europe/Madrid", receivedBy: .activity)
      try services.clock.set("2026-11-22T06:30:00.000Z")
      #expect(try await due(2, services).last?.dueAt == services.clock.now)
      try services.clock.set("2026-11-23T05:00:00.000Z")
      try await services.move(ana, to: "Asia/Tokyo", receivedBy: .activity)
      let third = try await due(3, services)
      #expect(third.count == 3 && third[2].isMissed && third[2].day.description == "2026-11-23")
      // Its day starts later by now: the time belongs to the day before.
      try await services.change(ana, receivedBy: .activity) {
        ($0.timeZone, $0.dayStartHour) = (try TimeZoneName(text: "UTC"), 6)
      }
      _ = try await ana.makeReminded("Late", ["05:30"])
      try services.clock.set("2026-11-23T05:30:00.000Z")
      #expect(try await due(4, services).last.map { "\($0.title) \($0.day)" } == "Late 2026-11-22")
    }
  }

  @Test(
    "Changed reminder times take effect at once and repeat none, also of an activity that is taken out of the archive"
  )
  func edited() async throws {
    try await running { services in
      let ana = try await services.register()
      let walk = try await ana.makeReminded("Walk", ["06:10", "06:20"])
      try services.clock.set("2026-11-21T06:10:00.000Z")
      _ = try await due(1, services)
      let times = try ["06:10", "06:30"].map { try ReminderTime(text: $0) }
      _ = try await ana.send(UpdateActivity.self, .init(activityID: walk.id, reminders: .set(times)))
      try services.clock.set("2026-11-21T06:30:00.000Z")
      #expect(try await due(2, services).map { "\($0.time)" } == ["06:10", "06:30"])
      // Of the time put away nothing is told, not even that it was missed.
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: walk.id))
      _ = try await ana.makeReminded("Other", ["06:05"])
      try services.clock.set("2026-11-23T06:05:00.000Z")
      _ = try await due(4, services)
      _ = try await ana.send(UnarchiveActivity.self, .init(activityID: walk.id))
      try services.clock.set("2026-11-23T06:10:00.000Z")
      let all = try await due(5, services)
      #expect(all.filter { $0.activityID == walk.id }.map { "\($0.day) \($0.time)" }.last == "2026-11-23 06:10")
      #expect(all.count { $0.activityID == walk.id } == 3)
      _ = try await ana.send(DeleteActivity.self, .init(activityID: walk.id, confirm: true))
      #expect(try await services.store(of: .activity).rows("due_reminders") == 1)
      try await services.delete(ana, receivedBy: .activity)
      #expect(try await services.store(of: .activity).rows("due_reminders") == 0)
    }
  }

  @Test(
    "A reminder is withdrawn once its day is done or closed, or its activity or time is removed, and not for another day"
  )
  func withdrawn() async throws {
    try await running { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      var ids: [ActivityID] = []
      for number in 0..<9 {
        let goal: Goal = number == 7 ? .duration(seconds: 600) : .check
        ids.append(try await ana.makeReminded("Walk \(number)", ["07:30"], goal: goal, startDay: "2026-11-20").id)
      }
      try services.clock.set("2026-11-21T06:30:00.000Z")
      _ = try await due(9, services)
      _ = try await ana.send(RecordEntry.self, .init(activityID: ids[0], day: .day(try day("2026-11-20")), isDone: true))
      #expect(try await events(ReminderWithdrawn.self, services).isEmpty)
      for _ in 1...2 { _ = try await ana.send(RecordEntry.self, .init(activityID: ids[0], day: .today, isDone: true)) }
      _ = try await ana.send(CreateSkip.self, .init(activityID: ids[1], day: .today))
      _ = try await ana.send(CreatePause.self, .init(activityID: ids[2], lastDay: try day("2026-11-25")))
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: ids[3]))
      let eve = try await services.register()
      #expect(try await eve.failure(DeleteActivity.self, .init(activityID: ids[4], confirm: true)) == "activity_not_found")
      _ = try await ana.send(DeleteActivity.self, .init(activityID: ids[4], confirm: true))
      _ = try await ana.send(UpdateActivity.self, .init(activityID: ids[5], schedule: .set(.weekdays([1]))))
      _ = try await ana.send(UpdateActivity.self, .init(activityID: ids[6], reminders: .set([])))
      _ = try await ana.send(StartTimer.self, .init(activityID: ids[7]))
      // A new name is no reason.
      _ = try await ana.send(UpdateActivity.self, .init(activityID: ids[8], title: .set("Run")))
      let withdrawn = try await events(ReminderWithdrawn.self, services)
      #expect(withdrawn.map(\.activityID) == Array(ids[0...7]))
      #expect(withdrawn.allSatisfy { $0.accountID == ana.id && $0.day.description == "2026-11-21" })
    }
  }

  private func answer(_ event: ReminderDue, _ reply: ReminderReply, at instant: String? = nil) throws -> ReminderAnswered {
    ReminderAnswered(
      accountID: event.accountID, reminderID: event.reminderID, activityID: event.activityID, day: event.day, time: event.time,
      answer: reply, remindAt: try instant.map { try Instant(text: $0) })
  }

  @Test(
    "'Done' completes the day once, whatever its goal, and changes nothing of a closed or done day or another's activity"
  )
  func done() async throws {
    try await running { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      let goals: [Goal] = [.check, .quantity(2, unit: "km"), .duration(seconds: 600), .check, .check, .quantity(2, unit: "km")]
      var ids: [ActivityID] = []
      for (number, goal) in goals.enumerated() {
        ids.append(try await ana.makeReminded("Walk \(number)", ["07:30"], goal: goal).id)
      }
      try services.clock.set("2026-11-21T06:30:00.000Z")
      let sent = try await due(6, services)
      func event(_ index: Int) throws -> ReminderDue { try #require(sent.first { $0.activityID == ids[index] }) }
      _ = try await ana.send(CreateSkip.self, .init(activityID: ids[3], day: .today))
      _ = try await ana.send(DeleteActivity.self, .init(activityID: ids[4], confirm: true))
      _ = try await ana.send(RecordEntry.self, .init(activityID: ids[5], day: .today, amount: 5))
      for index in ids.indices {
        for _ in 1...2 { try await services.publish(.notifications, try answer(try event(index), .done)) }
      }
      var stranger = try answer(try event(0), .done)
      (stranger.accountID, stranger.day) = (AccountID(), stranger.day.advanced(by: -1))
      try await services.publish(.notifications, stranger)
      try await services.hasReceived(.activity, of: .notifications)
      let entries = try await events(EntryRecorded.self, services)
      #expect(entries.map(\.activityID) == [ids[5], ids[0], ids[1], ids[2]] && entries.allSatisfy(\.isDone))
      #expect(entries[0].amount == 5 && entries[2].amount == 2 && entries[3].durationSeconds == 600)
      #expect(try await services.store(of: .activity).rows("entries") == 4)
    }
  }

  @Test("'Remind me again' reminds once more at the chosen time, unless the day was done meanwhile")
  func again() async throws {
    try await running { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      let walk = try await ana.makeReminded("Walk", ["07:30"])
      _ = try await ana.makeReminded("Read", ["07:30"])
      try services.clock.set("2026-11-21T06:30:00.000Z")
      let sent = try await due(2, services)
      for event in sent { try await services.publish(.notifications, try answer(event, .again, at: "2026-11-21T07:00:00.000Z")) }
      try await services.hasReceived(.activity, of: .notifications)
      _ = try await ana.send(RecordEntry.self, .init(activityID: walk.id, day: .today, isDone: true))
      // Where its owner is then is all the same.
      try await services.move(ana, to: "Asia/Tokyo", receivedBy: .activity)
      try services.clock.set("2026-11-21T07:00:00.000Z")
      let all = try await due(3, services)
      #expect(all.count == 3 && all[2].title == "Read" && all[2].isAgain && "\(all[2].time)" == "07:30")
      #expect(all[2].dueAt == services.clock.now && all[2].reminderID != all[0].reminderID && all[2].day == sent[0].day)
      #expect(try await services.store(of: .activity).rows("due_reminders") == 2)
    }
  }

  @Test("2,000 reminders that are due at once are all published, each once")
  func many() async throws {
    try await running { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      let walk = try await ana.makeReminded("Walk", ["07:30"])
      let store = services.store(of: .activity)
      try await store.write { try ManyActivities.copy(walk.id, 1999, in: $0.database) }
      try services.clock.set("2026-11-21T06:30:00.000Z")
      func published(_ counted: String) async throws -> Int? {
        try await store.read {
          try Int.fetchOne($0, sql: "SELECT count(\(counted)) FROM outbox WHERE name = 'reminders.due'")
        }
      }
      try await store.until(within: .seconds(20)) { try await published("*") ?? 0 >= 2000 }
      #expect(try await published("*") == 2000)
      #expect(try await published("DISTINCT json_extract(CAST(body AS TEXT), '$.activityID')") == 2000)
    }
  }
}

/// Copies of an activity, as if each had been made.
enum ManyActivities {
  static func copy(_ activity: ActivityID, _ count: Int, in database: Database) throws {
    let tables = try ["activities", "activity_versions", "activity_reminders"].map { table in
      (table, try database.columns(in: table).map(\.name).filter { $0 != "activity_id" }.joined(separator: ", "))
    }
    for _ in 0..<count {
      let copy = ActivityID()
      for (table, names) in tables {
        try database.execute(
          sql: "INSERT INTO \(table) (activity_id, \(names)) SELECT ?, \(names) FROM \(table) WHERE activity_id = ?",
          arguments: [copy, activity])
      }
    }
  }
}

extension Person {
  /// Makes an activity with reminders.
  func makeReminded(
    _ title: String, _ times: [String], goal: Goal = .check, schedule: Schedule = .daily, startDay: String? = nil
  ) async throws -> Activity {
    try await send(
      CreateActivity.self,
      .init(
        title: title, category: .fitness, goal: goal, schedule: schedule, startDay: try startDay.map(LocalDay.init(text:)),
        reminders: try times.map { try ReminderTime(text: $0) }))
  }
}
