import EarlierStores
import Foundation
import GRDB
import IdentityContract
import InMemoryBus
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Photos of earlier stores, before they were published (ID-11; SOC-2)")
struct PhotoPublicationTests {
  @Test(
    "Photos of earlier stores are published once, each with its tag and a new revision; accounts without one are not"
  )
  func published() async throws {
    let count = PhotoPublicationWorker.batch * 2 + 1
    let tag = String(repeating: "a", count: 32)
    let migrations = try await RunningIdentity.migrations()
    let publication = try #require(migrations.first { $0.name == "photos that were never published" }).number
    try await UpgradedStore.upgrading(.identity, migrations, before: publication) { transaction in
      for number in 0..<count + 3 {
        try transaction.database.execute(
          sql: """
            INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at,
              photo_tag, revision)
            VALUES (?1, ?2, ?2, ?3, '$argon2id$', 'UTC', 'en', 1, ?4, 5)
            """,
          arguments: [AccountID(), "p\(number)@example.com", "person\(number)", number < count ? tag : nil])
      }
    } check: { store in
      func events() async throws -> [AccountChanged] {
        try await store.log.events(after: 0, limit: 5000, bytes: 10_000_000).map { try AccountChanged.decode($0.body) }
      }
      let worker = PhotoPublicationWorker(store: store)
      // It was cut off behind the first transaction.
      _ = try await store.write { try PhotoStore.publishEarlier(atMost: PhotoPublicationWorker.batch, $0) }
      #expect(try await events().count == PhotoPublicationWorker.batch)
      try await worker.publishAll()
      let published = try await events()
      #expect(published.count == count && Set(published.map(\.accountID)).count == count)
      #expect(published.allSatisfy { $0.photoTag == tag && $0.revision == 6 })
      try await worker.publishAll()
      #expect(try await events().count == count)
    }
  }

  @Test(
    "Photos of earlier stores are published by the running service, and not again after the next start"
  )
  func running() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.join("ana")
      let tag = try await identity.ask(
        PutPhoto.self, .init(content: Base64Bytes(try Portrait.png())), by: .signedIn(ana)
      ).photoTag
      try await identity.store.write {
        try $0.database.execute(sql: "INSERT INTO unpublished_photos (account_id) SELECT account_id FROM accounts")
      }
      let before = try await identity.published(AccountChanged.self)
      for _ in 0..<2 {
        try await identity.running(on: MemoryExchange()) {
          try Int.fetchOne($0, sql: "SELECT count(*) FROM unpublished_photos") == 0
        }
      }
      let again = try await identity.restarted()
      let published = try await again.published(AccountChanged.self)
      #expect(published.count == before.count + 1 && published.last?.photoTag == tag)
      #expect(published.last?.revision == (before.last?.revision ?? 0) + 1)
      await again.store.close()
    }
  }
}
