import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("The accounts that a notification names (ID-12)", .timeLimit(.minutes(1)))
final class NamedAccountsTests {
  let identity = IdentityDouble()
  let home = "/tmp/racha-named-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func run(_ rowsPerTransaction: Int = 200, _ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running(
      [{ try Notifications.service($0) }], identity: identity,
      settings: ["racha.erasure.rowsPerTransaction": "\(rowsPerTransaction)"], at: nil, home: home, body)
  }

  private func item(_ about: String, naming accounts: Set<AccountID>) -> InboxItem {
    InboxItem(
      kind: "friendRequestAccepted",
      content: NotificationContent(parameters: ["username": .text("carl")], links: NotificationLinks()), source: "test/\(about)",
      accounts: accounts)
  }

  @Test(
    "Erasing one of several accounts that a notification names removes it, at once or in steps; others stay",
    arguments: [200, 1])
  func several(rowsPerTransaction: Int) async throws {
    let (ana, ben, carl) = (try identity.person("ana"), try identity.person("ben"), try identity.person("carl"))
    try await run(rowsPerTransaction) { services in
      let store = services.store(of: .notifications)
      try await services.hasReceived(.notifications, of: .identity)
      try await services.publish(.identity, ana.event, ben.event, carl.event)
      let items = [
        item("one", naming: [ana.account, carl.account]), item("other", naming: [carl.account, ben.account]),
        item("third", naming: [ana.account]),
      ]
      try await store.write { for item in items { try KindSubscriptions.notify(ben.account, item, $0) } }
      #expect(try await store.rows("notification_accounts") == 5)
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: carl.account, at: .now))
      try await store.hasErased(carl.account)
      #expect(try await store.traces(of: carl.account) == [])
      let left = try await services.call(ListNotifications.self, .init(), as: ben.caller).items
      #expect(left.map(\.number) == [3])
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller).unreadCount == 1)
      #expect(try await store.rows("notification_accounts") == 1)
      // What names an account that is erased does not come any more.
      try await store.write { [item = item("late", naming: [carl.account, ana.account])] in
        _ = try KindSubscriptions.notify(ben.account, item, $0)
      }
      #expect(try await services.call(ListNotifications.self, .init(), as: ben.caller).items.count == 1)
    }
  }

  @Test("A deleted notification names nobody any more")
  func deleted() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await run { services in
      let store = services.store(of: .notifications)
      try await store.write { [item = item("one", naming: [ana.account])] in
        _ = try KindSubscriptions.notify(ben.account, item, $0)
      }
      let id = try #require(try await services.call(ListNotifications.self, .init(), as: ben.caller).items.first).id
      _ = try await services.call(DeleteNotification.self, .init(notificationID: id), as: ben.caller)
      #expect(try await store.rows("notification_accounts") == 0)
    }
  }

  @Test("Inboxes of earlier stores, without noted accounts, stay as they were, and the accounts that they name are found")
  func migration() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try Home.makePrivateFolder(Home(path: home).stores)
    let old = try Store(
      path: "\(Home(path: home).stores)/notifications.sqlite", service: .notifications,
      migrations: [
        AccountsFeature(migrations: (table: 1, settings: 6, people: 12, enrollment: 14, everyone: 34)).migrations[0],
        InboxStore.migration(2),
      ],
      secret: try Home(path: home).secret("notifications.store"), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let caused = #"{"parameters":{"username":"ana"},"links":{"accountID":"\#(ana.account)"}}"#
    try await old.write { transaction in
      try transaction.database.execute(
        sql: "INSERT INTO inboxes (account_id, last_number, unread_count) VALUES (?, 3, 2)", arguments: [ben.account])
      for (number, content, deletedAt) in [
        (1, caused, nil), (2, #"{"parameters":{"coins":1,"balance":1},"links":{}}"#, nil), (3, "{}", 5),
      ] as [(Int, String, Int?)] {
        try transaction.database.execute(
          sql: """
            INSERT INTO notifications (notification_id, account_id, number, kind, content, source, created_at, deleted_at)
            VALUES (?, ?, ?, ?, ?, ?, 1790000000000, ?)
            """,
          arguments: [
            ID<Never>(), ben.account, number, number == 2 ? "coinsEarned" : "friendRequestReceived", content, "old/\(number)",
            deletedAt,
          ])
      }
    }
    await old.close()
    try await run { services in
      let store = services.store(of: .notifications)
      let before = try await services.call(ListNotifications.self, .init(), as: ben.caller).items
      #expect(before.map(\.number) == [2, 1] && before[1].text == "ana wants to be your friend.")
      #expect(before[1].links.accountID == ana.account)
      #expect(try await store.rows("notification_accounts") == 1)
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller).unreadCount == 2)
      try await services.hasReceived(.notifications, of: .identity)
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: ana.account, at: .now))
      try await store.hasErased(ana.account)
      #expect(try await store.traces(of: ana.account) == [])
      #expect(try await services.call(ListNotifications.self, .init(), as: ben.caller).items.map(\.number) == [2])
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller).unreadCount == 1)
    }
  }
}
