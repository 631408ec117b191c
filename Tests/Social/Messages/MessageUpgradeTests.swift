import EarlierStores
import GRDB
import InMemoryBus
import Logging
import Operations
import SocialContract
import Storage
import Testing

@testable import ServiceKit
@testable import SocialService

@Suite("Messages of earlier stores")
struct MessageUpgradeTests {
  @Test("Messages of earlier stores are unchanged, found by search, and counted among their writers' bytes")
  func upgraded() async throws {
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: Home(path: "/nonexistent"), bus: MemoryBus(.social, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let migrations = Social.service(environment).migrations
    let (pair, conversation, message) = (AccountPair(AccountID(), AccountID()), ID<Conversation>(), ID<ChatMessage>())
    let first = MessageStore.changesMigration(0).name
    let number = try #require(migrations.first { $0.name == first }).number
    try await UpgradedStore.upgrading(.social, migrations, before: number) { transaction in
      let database = transaction.database
      try database.execute(
        sql: "INSERT INTO conversations (conversation_id, low_account, high_account) VALUES (?, ?, ?)",
        arguments: [conversation, pair.low, pair.high])
      for (one, other) in [(pair.low, pair.high), (pair.high, pair.low)] {
        try database.execute(
          sql: "INSERT INTO conversation_sides (account_id, other_account, conversation_id, last_sequence) VALUES (?, ?, ?, 1)",
          arguments: [one, other, conversation])
      }
      try database.execute(
        sql: "INSERT INTO messages (message_id, conversation_id, from_account, text, sent_at) VALUES (?, ?, ?, 'Un CAFÉ', 7)",
        arguments: [message, conversation, pair.high])
    } check: { store in
      try await store.write { transaction in
        let database = transaction.database
        let found = try #require(try MessageStore.find(message, for: pair.low, in: database))
        #expect(found.message.text?.description == "Un CAFÉ" && found.message.editedAt == nil && found.message.removedAt == nil)
        #expect(try MessageSpaceStore.bytes(of: pair.high, in: database) == 8)
        #expect(try MessageSpaceStore.bytes(of: pair.low, in: database) == 0)
        let rows = try Row.fetchAll(
          database, sql: MessageSearchStore.searchSQL, arguments: [conversation, Int64.max, 0, "cafe", 10])
        #expect(rows.map { $0["message_id"] as ID<ChatMessage> } == [message])
        // The table itself keeps what was removed from saying anything.
        #expect(throws: DatabaseError.self) { try database.execute(sql: "UPDATE messages SET removed_at = 1") }
        #expect(throws: DatabaseError.self) { try database.execute(sql: "UPDATE messages SET text = NULL") }
        try database.execute(sql: "UPDATE messages SET text = NULL, removed_at = 1")
      }
    }
  }
}
