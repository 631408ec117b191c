import Foundation
import GRDB
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

/// A block takes effect in the store without waking the worker, so that what is asked then is asked while the notifications are there still.
@Suite("Blocking an account that many notifications name (SOC-8)")
struct BlockedNotificationTests {
  private static let count = 600

  /// Fills an inbox: of three, one names the first, one the second, one nobody. One of two is read.
  private func fill(_ services: ServicesInProcess, _ person: Person, naming others: [AccountID]) async throws {
    // Old ones that are read would go.
    let now = services.clock.now
    try await services.store(of: .notifications).write { transaction in
      try transaction.database.execute(
        sql: "INSERT INTO inboxes (account_id, last_number) VALUES (?1, ?2)",
        arguments: [person.id, Self.count])
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
          INSERT INTO notifications (notification_id, account_id, number, kind, category, content, source, created_at, read_at)
          SELECT randomblob(16), ?1, i, iif(i % 3, 'taskHelpRequested', 'coinsEarned'), iif(i % 3, 'help', 'rewards'),
            '{"parameters":{},"links":{}}', 'x/' || i, ?3, iif(i % 2, NULL, ?3)
          FROM n
          """, arguments: [person.id, Self.count, now])
      for (index, other) in others.enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO notification_accounts (notification_id, account_id)
            SELECT notification_id, ? FROM notifications WHERE account_id = ? AND number % 3 = ?
            """, arguments: [other, person.id, index + 1])
      }
    }
  }

  private func seen(_ person: Person) async throws -> [String] {
    var seen: [String] = []
    for unread in [nil, true, false] as [Bool?] {
      var input = ListNotifications.Input(isUnread: unread, limit: 100)
      while true {
        let page = try await person.send(ListNotifications.self, input)
        seen += page.items.map { "\(String(describing: unread)) \($0.number)" }
        guard let next = page.nextCursor else { break }
        input.cursor = next
      }
    }
    let counts = try await person.send(CountUnreadNotifications.self, .init())
    seen.append("\(counts.unreadCount) \(counts.byCategory.map { "\($0.category) \($0.unreadCount)" })")
    let since = try await person.send(ListNotificationsSince.self, .init(after: 0, limit: 500))
    return seen + since.items.map { "since \($0.number)" }
  }

  @Test("Notifications naming a blocked account are hidden from a large inbox at once, while they are removed in steps")
  func hidden() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      try await fill(services, ana, naming: [ben.id, eva.id])
      let store = services.store(of: .notifications)
      #expect(try await store.write { try BlockedNotificationStore.begin(ana.id, from: ben.id, $0) })
      let first = try await seen(ana)
      #expect(first.count { $0.hasPrefix("nil ") } == 400 && first.count { $0.hasPrefix("Optional(true) ") } == 200)
      #expect(first.contains("200 [\"help 100\", \"rewards 100\"]"))
      for limit in [100, 333] {
        try await store.write { try BlockedNotificationStore.delete(from: ana.id, limit: limit, $0) }
        #expect(try await seen(ana) == first)
      }
      // What comes once the block has ended stays.
      try await store.write { transaction in
        let item = InboxItem(
          kind: "taskHelpRequested", content: NotificationContent(parameters: [:], links: NotificationLinks()), source: "later",
          accounts: [ben.id])
        _ = try InboxStore.add(item, to: ana.id, .english, transaction)
      }
      try await store.write { try BlockedNotificationStore.delete(from: ana.id, limit: 500, $0) }
      #expect(try await store.rows("blocked_notifications") == 0)
      #expect(try await ana.send(ListNotifications.self, .init(limit: 1)).items.map(\.number) == [Self.count + 1])
      #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 201)
      let kept = try await store.read {
        try Int.fetchOne($0, sql: "SELECT sum(count) FROM unread_counts WHERE account_id = ?", arguments: [ana.id])
      }
      #expect(kept == 201)
      let named = try await store.read { database in
        try [ben.id, eva.id].map {
          try Int.fetchOne(database, sql: "SELECT count(*) FROM notification_accounts WHERE account_id = ?", arguments: [$0]) ?? 0
        }
      }
      #expect(named == [1, 200])
      // A client that was away learns what went, whenever it went.
      var (removed, change) = (Set<Int>(), 0)
      while true {
        let page = try await ana.send(ListNotificationsSince.self, .init(after: Self.count, changesAfter: change, limit: 50))
        guard page.lastChange != change else { break }
        removed.formUnion(page.removed)
        change = page.lastChange
      }
      #expect(removed.count == 200 && removed.allSatisfy { $0 % 3 == 1 })
      // Whoever is connected was told the same.
      let live = try await services.published(by: .notifications).filter { $0.name == NotificationRemoved.spec.name }
        .map { try NotificationRemoved.decode($0.body).number }
      #expect(live.count == 200 && Set(live) == removed)
    }
  }

  @Test(
    "Held and queued notifications naming a blocked account are not mailed or pushed, even before they are removed")
  func unsent() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      try await services.hasReceived(.notifications, of: .identity)
      _ = try await ana.send(UpdateNotificationPreferences.self, .init(choices: [.init(category: .help, .email, isOn: true)]))
      try await fill(services, ana, naming: [ben.id, eva.id])
      let mail = ID<Mail>()
      let dispatch = DeliveryDispatch(
        quietHours: QuietHoursStore(zones: TimeZones()), routes: [MailRoute(signal: WakeSignal())], signal: WakeSignal())
      let (held, said, inMail) = try await services.store(of: .notifications).write { transaction in
        let database = transaction.database
        _ = try BlockedNotificationStore.begin(ana.id, from: ben.id, transaction)
        func delivery(_ number: Int, _ channel: NotificationChannel) throws -> Delivery {
          let notification = try ID<NotificationsContract.Notification>.fetchOne(
            database, sql: "SELECT notification_id FROM notifications WHERE account_id = ? AND number = ?",
            arguments: [ana.id, number])
          return Delivery(
            id: ID(), account: ana.id, channel: channel, kind: "taskHelpRequested", source: "x/\(number)", subject: ID(),
            notification: notification, createdAt: transaction.now)
        }
        // The first names Ben, the second Eva; neither was read.
        for number in [1, 5] {
          try DeliveryStore.add(try delivery(number, .email), .held(until: transaction.now, .unread), transaction)
        }
        try dispatch.release(.init(account: ana.id, channel: .email), transaction)
        let held = try String.fetchAll(
          database, sql: "SELECT source || ' ' || state || ' ' || coalesce(reason, '') FROM deliveries ORDER BY source")
        let queued = try [1, 5].map { try delivery($0, .push) }
        for delivery in queued {
          try DeliveryStore.add(delivery, .queued, transaction)
          try DeliveryStore.carry(delivery, by: mail, transaction)
        }
        return (
          held, try queued.map { try DeliveryStore.content(of: $0.id, ana.id, in: database) != nil },
          try DeliveryStore.contents(ofMail: mail, to: ana.id, at: transaction.now, limit: 10, in: database).count
        )
      }
      #expect(held == ["x/1 silent withdrawn", "x/5 queued "])
      #expect(said == [false, true] && inMail == 1)
    }
  }
}
