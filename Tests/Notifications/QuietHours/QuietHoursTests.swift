import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import NotificationsService

@Suite("Quiet hours (NOT-4)", .timeLimit(.minutes(1)))
final class QuietHoursTests {
  let identity = IdentityDouble()
  let home = "/tmp/racha-quiet-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  /// Notifications at a time, with the same stores each time: it ends and begins anew in between.
  private func run(
    at now: String, _ carrier: WatchedCarrier = WatchedCarrier(), _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    let build: ServicesInProcess.Build = { environment in
      try Notifications.service(environment, MailSettings(environment.settings, environment.home), carrier)
    }
    let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }
    try await ServicesInProcess.running([build, social], identity: identity, at: now, home: home, body)
  }

  private func person(_ services: ServicesInProcess, in zone: String) async throws -> Person {
    let person = try await services.register(timeZone: zone)
    try await services.hasReceived(.notifications, of: .identity)
    return person
  }

  private func enrolled(_ account: AccountID, _ task: String) throws -> TaskNoticeCreated {
    TaskNoticeCreated(
      noticeID: ID(), accountID: account, taskID: ID(), taskName: try TaskName(text: task), notice: .enrolled,
      byAccountID: AccountID(), byUsername: try Username(text: "ben"), at: .now)
  }

  /// Has tasks mailed, and quiet hours from ten to seven.
  private func prepare(_ ana: Person) async throws {
    _ = try await ana.send(UpdateNotificationPreferences.self, .init(choices: [.init(category: .tasks, .email, isOn: true)]))
    _ = try await ana.send(
      SetQuietHours.self, QuietHours(startsAt: QuietTime(text: "22:00"), endsAt: QuietTime(text: "07:00")))
  }

  private func log(_ ana: Person) async throws -> [String] {
    try await ana.send(ListDeliveries.self, .init(channel: .email)).items.map {
      [$0.kind, $0.state.rawValue, $0.reason, $0.heldUntil?.description].compactMap { $0 }.joined(separator: " ")
    }
  }

  private func text(_ letter: Letter) -> String {
    String(decoding: letter.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
  }

  @Test(
    "A notification at night is in the inbox at once and mailed once in the morning, despite restarts (E UC-07)"
  )
  func morning() async throws {
    var account: Person?
    // At eleven in the evening in Madrid.
    try await run(at: "2026-11-21T22:00:00.000Z") { services in
      let ana = try await person(services, in: "Europe/Madrid")
      account = ana
      try await prepare(ana)
      let state = try await ana.send(GetQuietHours.self, .init())
      #expect(state.quietUntil?.description == "2026-11-22T06:00:00.000Z")
      try await services.publish(.social, try enrolled(ana.id, "Paint"), try enrolled(ana.id, "Cook"))
      try await services.hasReceived(.notifications, of: .social)
      #expect(try await ana.send(ListNotifications.self, .init()).items.count == 2)
      #expect(try await log(ana) == Array(repeating: "taskEnrolled held quiet_hours 2026-11-22T06:00:00.000Z", count: 2))
    }
    let ana = try #require(account)
    // Still night after a restart: nothing goes.
    try await run(at: "2026-11-22T05:59:59.000Z") { services in
      let again = Person(
        bus: services.gateway, caller: Caller(kind: .account, account: ana.id, session: SessionID(), isVerified: true))
      try await services.publish(.social, try enrolled(ana.id, "Sing"))
      try await services.hasReceived(.notifications, of: .social)
      #expect(try await log(again).allSatisfy { $0.hasPrefix("taskEnrolled held") })
    }
    let carrier = WatchedCarrier()
    try await run(at: "2026-11-22T06:00:00.000Z", carrier) { services in
      let letter = try await carrier.next(1)[0].letter
      let words = text(letter)
      for task in ["Paint", "Cook", "Sing"] {
        #expect(words.contains("- New task: ben has enrolled you in") && words.contains(task))
      }
      let again = Person(
        bus: services.gateway, caller: Caller(kind: .account, account: ana.id, session: SessionID(), isVerified: true))
      let store = services.store(of: .notifications)
      try await store.until {
        try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM deliveries WHERE state = 'queued'") } == 0
      }
      #expect(try await log(again) == Array(repeating: "taskEnrolled sent", count: 3))
      #expect(
        try await store.read { try String.fetchAll($0, sql: "SELECT kind || ' ' || state FROM mails") } == ["digest delivered"])
    }
  }

  @Test("A notification read, withdrawn or switched off at night is not sent in the morning; a single one has its own mail")
  func lessened() async throws {
    var account: Person?
    try await run(at: "2026-11-21T22:00:00.000Z") { services in
      let ana = try await person(services, in: "UTC")
      account = ana
      try await prepare(ana)
      let (read, deleted) = (try enrolled(ana.id, "Read"), try enrolled(ana.id, "Deleted"))
      try await services.publish(.social, read, deleted, try enrolled(ana.id, "Kept"))
      try await services.hasReceived(.notifications, of: .social)
      let items = try await ana.send(ListNotifications.self, .init()).items
      _ = try await ana.send(MarkNotificationRead.self, .init(notificationID: items[2].id))
      _ = try await ana.send(DeleteNotification.self, .init(notificationID: items[1].id))
    }
    let ana = try #require(account)
    let carrier = WatchedCarrier()
    try await run(at: "2026-11-22T07:00:00.000Z", carrier) { services in
      let letter = try await carrier.next(1)[0].letter
      #expect(text(letter).contains("Subject: New task\r\n") && text(letter).contains("Kept"))
      let again = Person(
        bus: services.gateway, caller: Caller(kind: .account, account: ana.id, session: SessionID(), isVerified: true))
      let store = services.store(of: .notifications)
      try await store.until { try await log(again).contains("taskEnrolled sent") }
      #expect(
        try await log(again) == ["taskEnrolled sent", "taskEnrolled silent withdrawn", "taskEnrolled silent read"])
    }
  }

  @Test(
    "Held notifications are sent once quiet hours are removed or over in a new time zone, or at their new end")
  func changed() async throws {
    let carrier = WatchedCarrier()
    try await run(at: "2026-11-21T23:00:00.000Z", carrier) { services in
      let ana = try await person(services, in: "UTC")
      try await prepare(ana)
      try await services.publish(.social, try enrolled(ana.id, "One"))
      try await services.hasReceived(.notifications, of: .social)
      _ = try await ana.send(
        SetQuietHours.self, QuietHours(startsAt: QuietTime(text: "21:00"), endsAt: QuietTime(text: "09:00")))
      let store = services.store(of: .notifications)
      try await store.until { try await log(ana) == ["taskEnrolled held quiet_hours 2026-11-22T09:00:00.000Z"] }
      let ended = try await ana.send(ClearQuietHours.self, .init())
      #expect(ended == QuietHoursState(quietHours: nil, quietUntil: nil))
      #expect(text(try await carrier.next(1)[0].letter).contains("One"))

      try await prepare(ana)
      try await services.publish(.social, try enrolled(ana.id, "Two"))
      try await services.hasReceived(.notifications, of: .social)
      // Where it is eight in the morning.
      try await services.move(ana, to: "Asia/Tokyo", receivedBy: .notifications)
      #expect(text(try await carrier.next(1)[0].letter).contains("Two"))
    }
  }

  /// Fills the log: so many mails that are held until then.
  private static func hold(
    _ count: Int, of account: AccountID, until end: Instant, because reason: HoldReason = .quietHours, _ database: Database
  ) throws {
    try database.execute(
      sql: """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
        INSERT INTO deliveries (account_id, delivery_id, channel, kind, source, subject_id, state, reason, not_before, created_at)
        SELECT ?1, randomblob(16), iif(i % 3, 'email', 'push'), 'taskHelpRequested', 'x/' || i, randomblob(16), 'held', ?4, ?3, 0
        FROM n
        """, arguments: [account, count, end, reason])
  }

  /// How many deliveries of an account are held until then.
  private static func held(_ account: AccountID, until end: Instant, _ database: Database) throws -> Int? {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM deliveries WHERE account_id = ? AND state = 'held' AND not_before = ?",
      arguments: [account, end])
  }

  private static func isChanging(_ account: AccountID, _ database: Database) throws -> Bool {
    try Row.fetchOne(database, sql: "SELECT 1 FROM quiet_hours_changes WHERE account_id = ?", arguments: [account]) != nil
  }

  /// As the service has them, but they wake no worker.
  private static var changes: QuietHoursChangeStore {
    QuietHoursChangeStore(hours: QuietHoursStore(zones: TimeZones()), held: WakeSignal())
  }

  @Test("A change of quiet hours looks at no more at once where more is held, and the worker's steps at all the rest")
  func parts() async throws {
    try await run(at: "2026-11-21T23:00:00.000Z") { services in
      for count in [1_400, 14_000] {
        let (first, most, due, unread) = try await services.store(of: .notifications).write { transaction in
          let (database, account, now) = (transaction.database, AccountID(), transaction.now)
          let (morning, moment) = (now.adding(seconds: 8 * 3600), now.adding(seconds: 120))
          try Self.hold(count, of: account, until: morning, database)
          try Self.hold(10, of: account, until: moment, because: .unread, database)
          let before = database.totalChangesCount
          try Self.changes.begin(account, transaction)
          let first = database.totalChangesCount - before
          var most = 0
          while try Self.isChanging(account, database) {
            let before = database.totalChangesCount
            try Self.changes.settle(account, limit: 1_000, transaction)
            most = max(most, database.totalChangesCount - before)
          }
          return (
            first, most, try Self.held(account, until: now, database), try Self.held(account, until: moment, database)
          )
        }
        // Besides them, the account's row.
        #expect(first == QuietHoursChangeStore.rowsAtOnce + 1 && most <= 1_001)
        #expect(due == count && unread == 10)
      }
    }
  }

  @Test("Many changes of quiet hours in one transaction look at no more than one of them does")
  func together() async throws {
    try await run(at: "2026-11-21T23:00:00.000Z") { services in
      let (changes, due) = try await services.store(of: .notifications).write { transaction in
        let (database, account, now) = (transaction.database, AccountID(), transaction.now)
        try Self.hold(20_000, of: account, until: now.adding(seconds: 8 * 3600), database)
        let before = database.totalChangesCount
        for _ in 0..<32 { try Self.changes.begin(account, transaction) }
        let changes = database.totalChangesCount - before
        while try Self.isChanging(account, database) { try Self.changes.settle(account, limit: 2_000, transaction) }
        return (changes, try Self.held(account, until: now, database))
      }
      #expect(changes == QuietHoursChangeStore.rowsAtOnce + 1 && due == 20_000)
    }
  }

  @Test("Where quiet hours end at another time, what waits for that already is not looked at again")
  func moved() async throws {
    try await run(at: "2026-11-21T23:00:00.000Z") { services in
      let (former, present) = (
        try Instant(text: "2026-11-22T07:00:00.000Z"), try Instant(text: "2026-11-22T09:00:00.000Z")
      )
      for (from, to) in [(former, present), (present, former)] {
        let counts = try await services.store(of: .notifications).write { transaction in
          let (database, account, now) = (transaction.database, AccountID(), transaction.now)
          let end = to == present ? "09:00" : "07:00"
          try QuietHoursStore.set(
            QuietHours(startsAt: QuietTime(text: "22:00"), endsAt: QuietTime(text: end)), of: account, transaction)
          try Self.hold(1_200, of: account, until: from, database)
          try Self.hold(300, of: account, until: to, database)
          try Self.changes.begin(account, transaction)
          var counts = [try Self.held(account, until: now, database)]
          // As their release holds them again.
          try database.execute(
            sql: "UPDATE deliveries SET not_before = ? WHERE account_id = ? AND not_before = ?", arguments: [to, account, now])
          while try Self.isChanging(account, database) {
            try Self.changes.settle(account, limit: 400, transaction)
            counts.append(try Self.held(account, until: now, database))
          }
          return try counts + [Self.held(account, until: to, database), Self.held(account, until: from, database)]
        }
        #expect(counts == [500, 400, 700, 800, 0])
      }
    }
  }

  @Test("A large change of quiet hours holds for what is delivered meanwhile, and continues after a restart")
  func resumed() async throws {
    var account: Person?
    try await run(at: "2026-11-21T22:00:00.000Z") { services in
      let ana = try await person(services, in: "UTC")
      account = ana
      try await prepare(ana)
      let store = services.store(of: .notifications)
      let morning = try Instant(text: "2026-11-22T07:00:00.000Z")
      let isChanging = try await store.write { transaction in
        try Self.hold(1_200, of: ana.id, until: morning, transaction.database)
        try QuietHoursStore.remove(of: ana.id, transaction)
        try Self.changes.begin(ana.id, transaction)
        return try Self.isChanging(ana.id, transaction.database)
      }
      #expect(isChanging)
      try await services.publish(.social, try enrolled(ana.id, "Now"))
      try await services.hasReceived(.notifications, of: .social)
      let states = try await store.read {
        try String.fetchAll(
          $0,
          sql: "SELECT state FROM deliveries WHERE channel = 'email' AND kind = 'taskEnrolled' AND hold IS NOT 'quiet_hours'")
      }
      #expect(states.count == 1)
    }
    let ana = try #require(account)
    try await run(at: "2026-11-21T22:30:00.000Z") { services in
      let store = services.store(of: .notifications)
      try await store.until {
        try await store.read {
          let held = "SELECT 1 FROM deliveries WHERE account_id = ? AND state = 'held'"
          return try Row.fetchOne($0, sql: held, arguments: [ana.id]) == nil
        }
      }
      #expect(try await store.rows("quiet_hours_changes") == 0)
    }
  }

  @Test("Urgent notifications ignore quiet hours, and invalid quiet hours are refused by field and rule")
  func urgent() async throws {
    let carrier = WatchedCarrier()
    try await run(at: "2026-11-21T23:00:00.000Z", carrier) { services in
      let ana = try await person(services, in: "UTC")
      try await prepare(ana)
      try await services.publish(.identity, PasswordChanged(changeID: ID(), accountID: ana.id))
      #expect(text(try await carrier.next(1)[0].letter).contains("/recover"))
      for (json, fault) in [
        (#"{"startsAt":"24:00","endsAt":"07:00"}"#, "startsAt not_a_quiet_time"),
        (#"{"startsAt":"07:00","endsAt":"07:00"}"#, "endsAt same_quiet_time"), (#"{"startsAt":"07:00"}"#, "endsAt required"),
      ] {
        let failure = await #expect(throws: Failure.self) { try await ana.send(SetQuietHours.self, json: Array(json.utf8)) }
        #expect(failure?.fields.map { "\($0.field) \($0.code)" } == [fault])
      }
      let ben = try await services.register()
      #expect(try await ben.send(GetQuietHours.self, .init()).quietHours == nil)
    }
  }
}
