import Foundation
import GRDB
import InProcess
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import Testing

@testable import NotificationsService
@testable import Storage

/// An inbox is marked as read in the store without waking the worker, so that what is asked then is asked while its notifications do not say so
/// themselves yet.
@Suite("Marking a large inbox as read (NOT-1)")
struct ReadMarkTests {
  static let count = 1_200
  private static let now = "2026-11-21T12:00:00.000Z"

  private func run(
    identity: IdentityDouble = IdentityDouble(), home: String? = nil, at now: String = ReadMarkTests.now,
    _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    try await ServicesInProcess.running(
      [{ try Notifications.service($0) }, { _ in ServiceDefinition(.rewards, migrations: []) }], identity: identity, at: now,
      home: home
    ) { services in
      try await services.hasReceived(.notifications, of: .rewards)
      try await body(services)
    }
  }

  /// Fills an inbox; one of a hundred is of help.
  private func fill(
    _ services: ServicesInProcess, _ person: Person, from first: Int = 1, to last: Int = ReadMarkTests.count
  ) async throws {
    // Old ones that are read would go.
    let now = services.clock.now
    try await services.store(of: .notifications).write { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO inboxes (account_id, last_number) VALUES (?1, ?2)
          ON CONFLICT (account_id) DO UPDATE SET last_number = ?2
          """, arguments: [person.id, last])
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT ?2 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
          INSERT INTO notifications (notification_id, account_id, number, kind, category, content, source, created_at)
          SELECT randomblob(16), ?1, i, iif(i % 100, 'coinsEarned', 'taskHelpRequested'), iif(i % 100, 'rewards', 'help'),
            '{"parameters":{},"links":{}}', 'x/' || i, ?4
          FROM n
          """, arguments: [person.id, first, last, now])
    }
  }

  private func mark(_ services: ServicesInProcess, _ person: Person, through number: Int) async throws -> Bool {
    try await services.store(of: .notifications).write { try InboxStore.markRead(upTo: number, of: person.id, $0) }
  }

  private func settle(_ services: ServicesInProcess, _ person: Person, limit: Int) async throws {
    try await services.store(of: .notifications).write { try ReadMarkStore.settle(person.id, limit: limit, $0) }
  }

  /// What the account sees of its inbox.
  private func seen(_ person: Person) async throws -> [String] {
    var seen: [String] = []
    for (unread, category) in [(nil, nil), (true, nil), (false, nil), (true, .help), (false, .help)]
      as [(Bool?, NotificationCategory?)]
    {
      var input = ListNotifications.Input(isUnread: unread, category: category, limit: 100)
      while true {
        let page = try await person.send(ListNotifications.self, input)
        seen += page.items.map { "\(String(describing: unread)) \($0.number) \($0.readAt?.description ?? "unread")" }
        guard let next = page.nextCursor else { break }
        input.cursor = next
      }
    }
    let counts = try await person.send(CountUnreadNotifications.self, .init())
    seen.append("\(counts.unreadCount) \(counts.byCategory.map { "\($0.category) \($0.unreadCount)" })")
    let since = try await person.send(ListNotificationsSince.self, .init(after: Self.count - 50, changesAfter: 0))
    seen += (since.items + since.changed).map { "since \($0.number) \($0.readAt?.description ?? "unread")" }
    return seen
  }

  @Test("A large inbox marked as read up to a number appears read at once, while its rows are still being updated")
  func read() async throws {
    try await run { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for person in [ana, ben] { try await fill(services, person) }
      let bens = try await seen(ben)
      #expect(try await mark(services, ana, through: 1_190))
      let first = try await seen(ana)
      #expect(first.count { $0.hasPrefix("Optional(true) ") } == 10 + 1, "ten are not read, of which one is of help")
      #expect(first.count { $0.hasPrefix("Optional(false) ") } == 1_190 + 11)
      #expect(first.count { $0.hasSuffix(Self.now) } == 2 * 1_190 + 11 + 40)
      #expect(first.contains("10 [\"help 1\", \"rewards 9\"]"))
      for limit in [100, 600] {
        try await settle(services, ana, limit: limit)
        #expect(try await seen(ana) == first)
      }
      // The rest is few, and says so itself; what comes later is not read.
      services.clock.advance(days: 1)
      #expect(try await !mark(services, ana, through: 5_000))
      let second = try await seen(ana)
      #expect(second.contains("0 []") && !second.contains { $0.hasSuffix("unread") })
      #expect(second.count { $0.hasSuffix(services.clock.now.description) } == 2 * 10 + 1 + 10)
      try await settle(services, ana, limit: 5_000)
      #expect(try await seen(ana) == second)
      let store = services.store(of: .notifications)
      #expect(try await store.rows("read_marks") == 0)
      #expect(
        try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notifications WHERE read_at IS NULL") }
          == Self.count, "only Ben's")
      #expect(try await seen(ben) == bens)
    }
  }

  @Test("To count unread notifications takes no longer where there are many")
  func effort() async throws {
    try await run { services in
      let (few, many) = (try await services.register(), try await services.register())
      try await fill(services, few, to: 100)
      try await fill(services, many, to: 10_000)
      let store = services.store(of: .notifications)
      var steps: [Int] = []
      for (person, count) in [(few, 100), (many, 10_000)] {
        let counts = try await person.send(CountUnreadNotifications.self, .init())
        #expect(counts.byCategory.map(\.unreadCount) == [count / 100, count - count / 100] && counts.unreadCount == count)
        steps.append(try await store.effort { _ = try UnreadCountStore.counts(of: person.id, in: $0) }.steps)
      }
      #expect(steps[1] <= steps[0] + 2, "\(steps)")
    }
  }

  @Test("To mark an inbox as read up to a number takes no longer where more is read by it, or more is left")
  func marking() async throws {
    try await run { services in
      let store = services.store(of: .notifications)
      var steps: [[Int]] = []
      for count in [2_000, 20_000] {
        let person = try await services.register()
        try await fill(services, person, to: count)
        let account = person.id
        var found: [Int] = []
        for (through, left) in [(600, count - 600), (count - 50, 50), (count, 0)] {
          let effort = try await store.effort { database in
            let counts = try UnreadCountStore.countsLeft(of: account, readingAfter: 0, through: through, in: database)
            #expect(counts.values.reduce(0, +) == left)
          }
          found.append(effort.steps)
        }
        steps.append(found)
      }
      #expect(zip(steps[0], steps[1]).allSatisfy { $1 <= $0 + 20 }, "\(steps)")
    }
  }

  @Test("What is left after a mark is exact, whichever is counted, what is read or what is left")
  func exact() async throws {
    try await run { services in
      let ana = try await services.register()
      try await fill(services, ana, to: 9_000)
      let (store, account, now) = (services.store(of: .notifications), ana.id, services.clock.now)
      try await store.write { transaction in
        for (column, every) in [("read_at", 7), ("deleted_at", 11)] {
          try transaction.database.execute(
            sql: "UPDATE notifications SET \(column) = ? WHERE account_id = ? AND number % ? = 0",
            arguments: [now, account, every])
        }
      }
      for through in [800, 4_000, 8_900] {
        #expect(try await mark(services, ana, through: through))
        let (counts, left) = try await store.read { database in
          let rows = try Row.fetchAll(
            database,
            sql: """
              SELECT category, count(*) AS count FROM notifications
              WHERE account_id = ? AND number > ? AND read_at IS NULL AND deleted_at IS NULL GROUP BY category
              """, arguments: [account, through])
          return (
            try UnreadCountStore.counts(of: account, in: database),
            Dictionary(uniqueKeysWithValues: rows.map { ($0["category"] as String, $0["count"] as Int) })
          )
        }
        #expect(counts == left && left.count == 2, "\(through)")
      }
    }
  }

  @Test("Of what comes after a mark, only what was neither read nor deleted is counted as unread, before and after a migration")
  func counts() async throws {
    try await run { services in
      let ana = try await services.register()
      try await fill(services, ana)
      let store = services.store(of: .notifications)
      func id(_ number: Int) async throws -> ID<NotificationsContract.Notification> {
        let sql = "SELECT notification_id FROM notifications WHERE account_id = ? AND number = ?"
        return try #require(try await store.read { try ID.fetchOne($0, sql: sql, arguments: [ana.id, number]) })
      }
      _ = try await ana.send(MarkNotificationRead.self, .init(notificationID: id(1_195)))
      _ = try await ana.send(DeleteNotification.self, .init(notificationID: id(1_196)))
      #expect(try await mark(services, ana, through: 1_190))
      let counted = try await ana.send(CountUnreadNotifications.self, .init())
      #expect(counted.unreadCount == 8 && counted.byCategory.map(\.unreadCount) == [1, 7])
      // As an earlier version left it.
      try await store.write { transaction in
        try transaction.database.execute(
          sql: """
            DROP TRIGGER unread_counts_raised; DROP TRIGGER unread_counts_lowered;
            DROP TABLE unread_counts;
            ALTER TABLE inboxes ADD COLUMN unread_count INTEGER NOT NULL DEFAULT 8 CHECK (unread_count >= 0);
            """)
        for migration in [UnreadCountStore.migration(35), UnreadCountStore.markMigration(38)] {
          try migration.body(transaction.database)
        }
      }
      #expect(try await ana.send(CountUnreadNotifications.self, .init()) == counted)
    }
  }

  @Test("Notifications opened by marking a large inbox as read are counted once, for the day of the marking")
  func figures() async throws {
    try await run { services in
      let ana = try await services.register()
      try await fill(services, ana)
      #expect(try await mark(services, ana, through: Self.count))
      let day = DeliveryStore.day(of: services.clock.now)
      services.clock.advance(days: 1)
      for _ in 0..<13 { try await settle(services, ana, limit: 100) }
      let figures = try await services.store(of: .notifications).read { database in
        try Row.fetchAll(database, sql: "SELECT day, kind, count FROM delivery_figures WHERE outcome = 'opened' ORDER BY kind")
          .map { "\($0["day"] as Instant) \($0["kind"] as String) \($0["count"] as Int)" }
      }
      #expect(figures == ["\(day) coinsEarned 1188", "\(day) taskHelpRequested 12"])
    }
  }

  @Test("While a large inbox is being marked as read, single notifications can be read, deleted and added")
  func singles() async throws {
    try await run { services in
      let ana = try await services.register()
      try await fill(services, ana)
      #expect(try await mark(services, ana, through: Self.count))
      let marked = services.clock.now
      let items = try await ana.send(ListNotifications.self, .init(limit: 3)).items
      #expect(items.map(\.readAt) == [marked, marked, marked])
      services.clock.advance(days: 1)
      // Read before: nothing changes.
      #expect(try await ana.send(MarkNotificationRead.self, .init(notificationID: items[0].id)).unreadCount == 0)
      _ = try await ana.send(DeleteNotification.self, .init(notificationID: items[1].id))
      #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 0)
      #expect(try await ana.send(ListNotifications.self, .init(limit: 1)).items.map(\.readAt) == [marked])
      let earned = CoinsEarned(
        accountID: ana.id, transferID: ID(), coins: 1, balance: 1, at: try Instant(text: "2026-11-22T12:00:00.000Z"))
      try await services.publish(.rewards, earned)
      try await services.hasReceived(.notifications, of: .rewards)
      #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 1)
      #expect(try await ana.send(ListNotifications.self, .init(isUnread: true)).items.map(\.number) == [Self.count + 1])
      // So many more that they are marked too.
      try await fill(services, ana, from: Self.count + 2, to: 2 * Self.count)
      services.clock.advance(days: 1)
      #expect(try await mark(services, ana, through: 2 * Self.count))
      #expect(try await services.store(of: .notifications).rows("read_marks") == 2)
      #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 0)
      for _ in 0..<2 {
        let since = try await ana.send(ListNotificationsSince.self, .init(after: Self.count - 1)).items
        #expect(since.map(\.readAt).prefix(2) == [marked, services.clock.now])
        for _ in 0..<30 { try await settle(services, ana, limit: 100) }
      }
      #expect(try await services.store(of: .notifications).rows("read_marks") == 0)
    }
  }

  @Test("Marking a large inbox as read continues after a restart, and by the call itself")
  func resumed() async throws {
    let (home, identity) = ("/tmp/racha-read-\(UInt32.random(in: .min ... .max))", IdentityDouble())
    defer { try? FileManager.default.removeItem(atPath: home) }
    let ana = try identity.person("ana")
    try await run(identity: identity, home: home) { services in
      let person = Person(bus: services.gateway, caller: ana.caller)
      try await fill(services, person)
      #expect(try await mark(services, person, through: Self.count))
      try await settle(services, person, limit: 100)
    }
    try await run(identity: identity, home: home, at: "2026-11-22T12:00:00.000Z") { services in
      let person = Person(bus: services.gateway, caller: ana.caller)
      let store = services.store(of: .notifications)
      try await store.until { try await store.rows("read_marks") == 0 }
      let times = try await store.read { try Instant.fetchAll($0, sql: "SELECT DISTINCT read_at FROM notifications") }
      #expect(times.map(\.description) == [Self.now])
      try await fill(services, person, from: Self.count + 1, to: 2 * Self.count)
      #expect(try await person.send(MarkAllNotificationsRead.self, .init(upTo: 2 * Self.count)).unreadCount == 0)
      try await store.until { try await store.rows("read_marks") == 0 }
      #expect(
        try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notifications WHERE read_at IS NULL") } == 0)
    }
  }
}
