import Foundation
import GRDB
import InProcess
import NotificationsContract
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@testable import NotificationsService

@Suite("Reading a conversation marks its notifications as read (NOT-1, SOC-5)", .timeLimit(.minutes(1)))
struct ReadConversationTests {
  private typealias Account = IdentityDouble.Account

  private func run(_ body: (ServicesInProcess, Account, Account, Account) async throws -> Void) async throws {
    let identity = IdentityDouble()
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.running(
      [{ Social.service($0) }, { try Notifications.service($0) }], identity: identity
    ) { services in
      for other in [ana, eva] {
        _ = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: other.caller)
        _ = try await services.call(SendFriendRequest.self, .init(username: other.username), as: ben.caller)
      }
      try await body(services, ana, ben, eva)
    }
  }

  private func write(
    _ text: String, _ services: ServicesInProcess, _ one: Account, _ other: Account
  ) async throws -> ChatMessage {
    try await services.call(SendMessage.self, .init(accountID: other.account, text: ChatText(text: text)), as: one.caller)
  }

  private func read(
    _ message: ID<ChatMessage>, _ services: ServicesInProcess, _ reader: Account, of other: Account
  ) async throws {
    _ = try await services.call(
      MarkConversationRead.self, .init(accountID: other.account, messageID: message), as: reader.caller)
  }

  /// What messages an account was notified of and has not read, oldest first; with what is counted beside.
  private func unread(_ services: ServicesInProcess, _ person: Account) async throws -> [String] {
    try await services.hasReceived(.notifications, of: .social)
    let items = try await services.call(ListNotifications.self, .init(isUnread: true), as: person.caller).items
    let counts = try await services.call(CountUnreadNotifications.self, .init(), as: person.caller)
    #expect(counts.unreadCount == items.count)
    #expect(counts.byCategory.first { $0.category == .messages }?.unreadCount ?? 0 == items.count { $0.links.messageID != nil })
    return items.reversed().compactMap { item in
      guard case .text(let text) = item.parameters["message"] else { return nil }
      return text
    }
  }

  @Test(
    "Reading a conversation up to a message marks its notifications until then as read, and no others"
  )
  func read() async throws {
    try await run { services, ana, ben, eva in
      _ = try await write("from ben", services, ben, ana)
      _ = try await write("one", services, ana, ben)
      let two = try await write("two", services, ana, ben)
      _ = try await write("of eva", services, eva, ben)
      _ = try await write("three", services, ana, ben)
      #expect(try await unread(services, ben) == ["one", "two", "of eva", "three"])
      try await read(two.id, services, ben, of: ana)
      #expect(try await unread(services, ben) == ["of eva", "three"])
      // Both give read receipts, and the event for the writer is one.
      #expect(try await services.published(by: .social).count { $0.name == ConversationRead.spec.name } == 2)
      #expect(try await unread(services, ana) == ["from ben"])
      let figures = try await services.store(of: .notifications).read {
        try Int.fetchOne($0, sql: "SELECT count FROM delivery_figures WHERE outcome = 'opened' AND kind = 'messageReceived'")
      }
      #expect(figures == 2)
    }
  }

  @Test("Reading up to one's own message, or one whose notification is gone, marks earlier notifications as read, too")
  func withoutNotification() async throws {
    try await run { services, ana, ben, _ in
      _ = try await write("one", services, ana, ben)
      let own = try await write("own", services, ben, ana)
      let two = try await write("two", services, ana, ben)
      #expect(try await unread(services, ben) == ["one", "two"])
      try await read(own.id, services, ben, of: ana)
      #expect(try await unread(services, ben) == ["two"])
      let three = try await write("three", services, ana, ben)
      _ = try await write("four", services, ana, ben)
      _ = try await unread(services, ben)
      let items = try await services.call(ListNotifications.self, .init(), as: ben.caller).items
      let deleted = try #require(items.first { $0.links.messageID == ID(linking: three.id) })
      _ = try await services.call(DeleteNotification.self, .init(notificationID: deleted.id), as: ben.caller)
      try await read(three.id, services, ben, of: ana)
      #expect(try await unread(services, ben) == ["four"])
      // As retention leaves it.
      let conversation = try #require(deleted.links.conversationID.flatMap { ID<Conversation>(bytes: $0.bytes) })
      let five = try await write("five", services, ana, ben)
      _ = try await unread(services, ben)
      try await services.store(of: .notifications).write { transaction in
        for message in [two.id, three.id] {
          try transaction.database.execute(
            sql: "DELETE FROM notifications WHERE source = ?", arguments: ["messages.sent/\(message)"])
        }
      }
      try await services.publish(
        .social,
        ConversationRead(
          accountID: ben.account, otherAccountID: ana.account, conversationID: conversation, readerAccountID: ben.account,
          messageID: three.id, at: .now))
      #expect(try await unread(services, ben) == ["four", "five"])
      try await read(five.id, services, ben, of: ana)
      #expect(try await unread(services, ben) == [])
    }
  }

  /// Many messages of each of two conversations, unread.
  private func fill(
    _ services: ServicesInProcess, _ person: Account, _ conversations: [ID<Conversation>], count: Int
  ) async throws {
    // Old ones that are read would go.
    let now = services.clock.now
    try await services.store(of: .notifications).write { transaction in
      try transaction.database.execute(
        sql: "UPDATE inboxes SET last_number = last_number + ?2 WHERE account_id = ?1",
        arguments: [person.account, count])
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
          INSERT INTO notifications (notification_id, account_id, number, kind, category, content, source, created_at)
          SELECT randomblob(16), ?1, i + (SELECT last_number - ?2 FROM inboxes WHERE account_id = ?1), 'messageReceived', 'messages',
            json_object('parameters', json_object(), 'links', json_object('conversationID', iif(i % 2, ?3, ?4))),
            'messages.sent/' || printf('00000000-0000-7000-8000-%012d', i), ?5
          FROM n
          """, arguments: [person.account, count, conversations[1].description, conversations[0].description, now])
    }
  }

  @Test("Many unread messages of a conversation are marked as read in steps, newest first, and others stay unread")
  func steps() async throws {
    try await run { services, _, ben, _ in
      let store = services.store(of: .notifications)
      let (conversation, other) = (ID<Conversation>(), ID<Conversation>())
      _ = try await unread(services, ben)
      let before = try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller).unreadCount
      try await fill(services, ben, [conversation, other], count: 2_000)
      func left() async throws -> [Int] {
        try await store.read { database in
          try [conversation, other].map {
            try Int.fetchOne(
              database,
              sql: """
                SELECT count(*) FROM notifications
                WHERE json_extract(content, '$.links.conversationID') = ? AND read_at IS NULL
                """, arguments: [$0.description]) ?? 0
          }
        }
      }
      // The worker is not woken.
      let message = try ID<ChatMessage>(text: "00000000-0000-7000-8000-000000001800")
      #expect(try await store.write { try ReadConversationStore.begin(conversation, upTo: message, of: ben.account, $0) })
      #expect(try await left() == [800, 1_000])
      let newest = try await store.read {
        try Int.fetchOne(
          $0, sql: "SELECT count(*) FROM notifications WHERE read_at IS NOT NULL AND number BETWEEN ? AND ?",
          arguments: [before + 1_401, before + 1_800])
      }
      #expect(newest == 200)
      try await store.write { try ReadConversationStore.settle(ben.account, limit: 300, $0) }
      #expect(try await left() == [500, 1_000])
      #expect(try await store.rows("read_conversations") == 1)
      // By the event the worker does the rest.
      try await services.publish(
        .social,
        ConversationRead(
          accountID: ben.account, otherAccountID: AccountID(), conversationID: conversation, readerAccountID: ben.account,
          messageID: message, at: .now))
      try await store.until { try await store.rows("read_conversations") == 0 }
      #expect(try await left() == [100, 1_000])
      let counts = try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller)
      #expect(counts.unreadCount == before + 1_100)
      #expect(counts.byCategory.first { $0.category == .messages }?.unreadCount == 1_100)
    }
  }
}
