import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("How many messages are left to read (SOC-5)")
struct UnreadCountTests {
  /// Adds messages to a conversation in which there is one.
  ///
  /// - Parameter columns: who wrote each, its text, and when it was removed; by its number `i`.
  private func fill(
    _ services: ServicesInProcess, _ writer: Person, to reader: Person, _ count: Int,
    columns: String = "from_account, text, removed_at"
  ) async throws {
    let (from, to) = (writer.id, reader.id)
    try await services.store(of: .social).write { transaction in
      let database = transaction.database
      let conversation = try #require(try ConversationStore.find(from, to, in: database))
      try database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
          INSERT INTO messages (message_id, conversation_id, from_account, text, removed_at, sent_at)
          SELECT randomblob(16), conversation_id, \(columns), sent_at FROM messages, n WHERE conversation_id = ?
          """, arguments: [conversation])
      try database.execute(
        sql: """
          UPDATE conversation_sides AS side SET
            last_sequence = (SELECT max(sequence) FROM messages m WHERE m.conversation_id = side.conversation_id),
            unread_count = (
              SELECT count(*) FROM messages m
              WHERE m.conversation_id = side.conversation_id AND from_account = side.other_account AND removed_at IS NULL)
          WHERE conversation_id = ?
          """, arguments: [conversation])
    }
  }

  @Test("To mark messages as read takes no longer where more are unread")
  func effort() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let eva = try await services.register()
      try await services.befriend(ana, eva)
      let store = services.store(of: .social)
      var steps: [[Int]] = []
      for (friend, count) in [(ben, 500), (eva, 20_000)] {
        _ = try await friend.write("first", to: ana)
        try await fill(services, friend, to: ana, count)
        let (reader, writer) = (ana.id, friend.id)
        let side = try #require(try await store.read { try ConversationStore.side(reader, writer, in: $0) })
        #expect(side.unreadCount == count + 1)
        let first = side.lastSequence - Int64(count)
        var found: [Int] = []
        for (mark, left) in [(first + 49, count - 49), (side.lastSequence - 50, 50), (side.lastSequence, 0)] {
          let effort = try await store.effort { database in
            let unread = try ConversationStore.unreadCount(of: side, from: writer, after: mark, in: database)
            precondition(unread == left)
          }
          found.append(effort.steps)
        }
        steps.append(found)
      }
      #expect(zip(steps[0], steps[1]).allSatisfy { $1 <= $0 + 20 }, "\(steps)")
    }
  }

  @Test("What is left is exact, however many messages are read at a time, of which some were removed or are the reader's own")
  func exact() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      _ = try await ana.write("mine", to: ben)
      _ = try await ben.write("first", to: ana)
      let store = services.store(of: .social)
      // Of each of the two messages there are 1,000 more.
      try await fill(
        services, ben, to: ana, 1_000, columns: "from_account, iif(i % 7, text, NULL), iif(i % 7, NULL, sent_at)")
      for mark in [3, 40, 700, 1_000, 1_990, 2_001, 2_002] {
        let message = try #require(
          try await store.read { database in
            try ID<ChatMessage>.fetchOne(database, sql: "SELECT message_id FROM messages WHERE sequence = ?", arguments: [mark])
          })
        let writer = ben.id
        let left = try await store.read { database in
          try Int.fetchOne(
            database, sql: "SELECT count(*) FROM messages WHERE sequence > ? AND from_account = ? AND removed_at IS NULL",
            arguments: [mark, writer])
        }
        let answer = try await ana.send(MarkConversationRead.self, .init(accountID: writer, messageID: message))
        #expect(answer.unreadCount == left, "\(mark)")
      }
    }
  }
}
