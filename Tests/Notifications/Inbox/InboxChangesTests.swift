import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Storage
import Testing

@testable import NotificationsService
@testable import ServiceKit

@Suite("Changes of notifications in an inbox (NOT-1)", .timeLimit(.minutes(2)))
struct InboxChangesTests {
  private func run(_ body: (ServicesInProcess, Person) async throws -> Void) async throws {
    let others: [ServicesInProcess.Build] = [ServiceName.rewards, .social].map { name in
      { _ in ServiceDefinition(name == .rewards ? .rewards : .social, migrations: []) }
    }
    try await ServicesInProcess.running([{ try Notifications.service($0) }] + others) { services in
      let ana = try await services.register(timeZone: "Asia/Tokyo")
      try await services.hasReceived(.notifications, of: .identity)
      try await body(services, ana)
    }
  }

  private func earned(_ ana: Person, _ coins: Int, _ balance: Int, at: String) throws -> CoinsEarned {
    CoinsEarned(accountID: ana.id, transferID: ID(), coins: coins, balance: balance, at: try Instant(text: at))
  }

  private func inbox(_ services: ServicesInProcess, _ ana: Person) async throws -> [NotificationsContract.Notification] {
    for publisher in [ServiceName.rewards, .social] { try await services.hasReceived(.notifications, of: publisher) }
    return try await ana.send(ListNotifications.self, .init()).items
  }

  @Test("Coins of one local day are one notification that counts up under a new number, and another day's are another")
  func coins() async throws {
    try await run { services, ana in
      let first = try earned(ana, 5, 5, at: "2026-11-21T12:00:00.000Z")
      // Half past two in the afternoon in UTC is the same day there; three is the next.
      let events = [first, try earned(ana, 7, 12, at: "2026-11-21T14:59:59.000Z"), first]
      for event in events { try await services.publish(.rewards, event) }
      var items = try await inbox(services, ana)
      #expect(items.map(\.number) == [2] && items[0].parameters["coins"] == .number(12))
      #expect(items[0].parameters["balance"] == .number(12))
      _ = try await ana.send(MarkNotificationRead.self, .init(notificationID: items[0].id))
      try await services.publish(
        .rewards, try earned(ana, 1, 13, at: "2026-11-21T15:00:00.000Z"), try earned(ana, 2, 15, at: "2026-11-21T15:00:01.000Z"))
      items = try await inbox(services, ana)
      #expect(items.map(\.number) == [4, 2] && items.map { $0.parameters["coins"] } == [.number(3), .number(12)])
      #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 1)
    }
  }

  @Test("A returning client learns which of its notifications were replaced, changed or removed since the last change number")
  func away() async throws {
    try await run { services, ana in
      let message = ID<ChatMessage>()
      let ben = try Username(text: "ben")
      try await services.publish(
        .social,
        MessageSent(
          messageID: message, conversationID: ID(), fromAccountID: AccountID(), fromUsername: ben, toAccountID: ana.id,
          text: try ChatText(text: "See you"), at: .now))
      try await services.publish(.rewards, try earned(ana, 5, 5, at: "2026-11-21T12:00:00.000Z"))
      _ = try await inbox(services, ana)
      let seen = try await ana.send(ListNotificationsSince.self, .init(after: 0))
      #expect(seen.items.count == 2 && seen.lastNumber == 2 && seen.changed.isEmpty && seen.removed.isEmpty)
      var mine = Dictionary(uniqueKeysWithValues: seen.items.map { ($0.number, $0) })

      let removed = MessageRemoved(
        accountID: ana.id, otherAccountID: AccountID(), conversationID: ID(), messageID: message, fromAccountID: AccountID(),
        fromUsername: ben, at: .now)
      try await services.publish(.social, removed)
      try await services.publish(.rewards, try earned(ana, 7, 12, at: "2026-11-21T13:00:00.000Z"))
      let listed = try await inbox(services, ana)
      let news = try await ana.send(ListNotificationsSince.self, .init(after: 2, changesAfter: seen.lastChange))
      for item in news.items + news.changed { mine[item.number] = item }
      for number in news.removed { mine[number] = nil }
      #expect(mine.values.sorted { $0.number > $1.number } == listed)
      #expect(news.changed.map(\.kind) == ["messageRemoved"] && news.removed.count == 1)
      let again = try await ana.send(ListNotificationsSince.self, .init(after: 3, changesAfter: news.lastChange))
      #expect(again.items.isEmpty && again.changed.isEmpty && again.removed.isEmpty && again.lastChange == news.lastChange)
      // Whoever is connected was told the same.
      let live = try await services.published(by: .notifications).filter { $0.name == NotificationRemoved.spec.name }
        .map { try NotificationRemoved.decode($0.body).number }
      #expect(live == news.removed)
    }
  }

  @Test("Pages of changes lose and repeat nothing, whatever their size")
  func pages() async throws {
    try await run { services, ana in
      for index in 0..<9 {
        try await services.publish(.rewards, try earned(ana, index, 0, at: "2026-11-\(10 + index)T12:00:00.000Z"))
      }
      let items = try await inbox(services, ana)
      for item in items.prefix(7) { _ = try await ana.send(DeleteNotification.self, .init(notificationID: item.id)) }
      var removed: [Int] = []
      var change = 0
      while true {
        let page = try await ana.send(ListNotificationsSince.self, .init(after: 9, changesAfter: change, limit: 2))
        guard page.lastChange != change else { break }
        (removed, change) = (removed + page.removed, page.lastChange)
      }
      #expect(removed == items.prefix(7).map(\.number))
    }
  }

  @Test("An inbox can be filtered by category, with its number of unread notifications")
  func categories() async throws {
    try await run { services, ana in
      try await services.publish(.rewards, try earned(ana, 5, 5, at: "2026-11-21T12:00:00.000Z"))
      try await services.publish(.social, try PreferenceTests.help(for: ana.id), try PreferenceTests.help(for: ana.id))
      _ = try await inbox(services, ana)
      let help = try await ana.send(ListNotifications.self, .init(category: .help)).items
      #expect(help.map(\.kind) == ["taskHelpRequested", "taskHelpRequested"])
      #expect(try await ana.send(ListNotifications.self, .init(isUnread: false, category: .help)).items.isEmpty)
      let counts = try await ana.send(CountUnreadNotifications.self, .init())
      #expect(counts.unreadCount == 3)
      #expect(counts.byCategory.map { "\($0.category) \($0.unreadCount)" } == ["help 2", "rewards 1"])
    }
  }

  @Test("Read notifications are removed after 90 days, and so are deleted ones; others stay, and numbers continue")
  func retention() async throws {
    try await run { services, ana in
      for day in 11...14 { try await services.publish(.rewards, try earned(ana, 1, 1, at: "2026-11-\(day)T12:00:00.000Z")) }
      let items = try await inbox(services, ana)
      _ = try await ana.send(MarkNotificationRead.self, .init(notificationID: items[0].id))
      _ = try await ana.send(DeleteNotification.self, .init(notificationID: items[1].id))
      let store = services.store(of: .notifications)
      let settings = DeliverySettings(Settings([:]))
      let worker = RetentionWorker(
        store: store, features: [InboxFeature(settings: settings)], logger: .init(label: "test"))
      services.clock.advance(days: 89)
      try await worker.sweep()
      #expect(try await ana.send(ListNotifications.self, .init()).items.count == 3)
      services.clock.advance(days: 2)
      try await worker.sweep()
      #expect(try await ana.send(ListNotifications.self, .init()).items.map(\.number) == [2, 1])
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notifications") } == 2)
      try await services.publish(.rewards, try earned(ana, 1, 1, at: "2026-11-15T12:00:00.000Z"))
      #expect(try await inbox(services, ana).map(\.number) == [5, 2, 1])
    }
  }

  @Test("A page of 50 out of 100,000 notifications reads little more than those, whatever the filter")
  func plans() async throws {
    try await run { services, ana in
      try await services.publish(.rewards, try earned(ana, 1, 1, at: "2026-11-11T12:00:00.000Z"))
      _ = try await inbox(services, ana)
      let store = services.store(of: .notifications)
      // One of help in a thousand; old ones that are read would go.
      let now = services.clock.now
      try await store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO notifications (notification_id, account_id, number, kind, category, content, source, created_at, read_at)
            SELECT randomblob(16), ?1, i, CASE WHEN i % 1000 THEN 'coinsEarned' ELSE 'taskHelpRequested' END,
              CASE WHEN i % 1000 THEN 'rewards' ELSE 'help' END, '{"parameters":{},"links":{}}', 'x/' || i, ?2,
              CASE WHEN i % 500 AND i % 1000 THEN ?2 END
            FROM n
            """, arguments: [ana.id, now])
        try transaction.database.execute(
          sql: "UPDATE inboxes SET last_number = 100000 WHERE account_id = ?", arguments: [ana.id])
      }
      // What SQLite does for a page grows with the page, not with the inbox.
      for (unread, category) in [(nil, nil), (nil, .help), (true, nil), (true, .help), (true, .rewards)]
        as [(Bool?, NotificationCategory?)]
      {
        let effort = try await store.effort { database in
          let page = PageRequest(limit: 50, lastKey: nil) { _ in .placeholder }
          let items = try InboxStore.list(
            of: ana.id, unread: unread, category: category, withLogins: true, page, .english, in: database
          ).items
          #expect(items.count == 50)
        }
        #expect(effort.steps < 2_000, "\(String(describing: category)) \(effort)")
      }
    }
  }
}
