import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import ServiceKit
@testable import SocialService

@Suite("Erasing an account that has many conversations (ID-12)")
struct ConversationErasureTests {
  @Test("Many conversations are erased in steps, of which none changes many; the others keep what they wrote")
  func steps() async throws {
    try await ServicesInProcess.withFriends { services, ana, _ in
      let (store, account) = (services.store(of: .social), ana.id)
      let text = try ChatText(text: "Still there")
      try await store.write { transaction in
        for number in 0..<300 {
          let other = AccountID()
          if number % 2 == 0 {
            _ = try MessageStore.add(MessageContent(text: text), from: other, to: account, transaction)
          } else {
            _ = try ConversationStore.findOrBegin(account, other, transaction)
          }
        }
      }
      let erasure = Erasure(ConversationFeature().tables, rowsPerTransaction: 50)
      try await store.write { try erasure.begin(account, ID(), $0) }
      #expect(try await store.read { try $0.erasure(of: account)?.areRowsErased } == false)
      let position = Erasure.Position()
      while try await store.write({ transaction in
        let before = transaction.database.totalChangesCount
        let hasMore = try erasure.step(account, rows: 20, from: position, transaction)
        #expect(transaction.database.totalChangesCount - before <= 100)
        return hasMore
      }) {}
      let left = try await store.read { database in
        try Row.fetchAll(database, sql: "SELECT account_id, unread_count, last_sequence FROM conversation_sides").map {
          ($0["account_id"] as AccountID, $0["unread_count"] as Int, $0["last_sequence"] as Int)
        }
      }
      #expect(left.count == 150 && left.allSatisfy { $0 != account && $1 == 0 && $2 > 0 })
      #expect(try await store.rows("conversations") == 150)
      let wrong = try await store.read { database in
        try Int.fetchOne(
          database,
          sql: """
            SELECT count(*) FROM (SELECT account_id, sum(sent_bytes) AS bytes FROM conversation_sides GROUP BY 1) s
            FULL JOIN message_space m USING (account_id) WHERE coalesce(s.bytes, 0) <> coalesce(m.bytes, 0)
            """)
      }
      #expect(wrong == 0)
      #expect(try await store.read { try $0.erasure(of: account)?.areRowsErased } == true)
      // Both sides of each, and the conversations of which nothing is left.
      #expect(try await store.erasedCounts(of: account).contains("conversations 750"))
    }
  }
}
