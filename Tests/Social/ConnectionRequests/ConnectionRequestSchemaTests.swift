import EarlierStores
import GRDB
import InProcess
import Operations
import Storage
import Testing

@Suite("The tables of friend requests and follow requests")
struct ConnectionRequestSchemaTests {
  let identity = IdentityDouble()

  @Test(
    "An upgrade rebuilds the tables of requests, and every request stays as it was",
    arguments: RequestKind.allCases)
  func upgrade(kind: RequestKind) async throws {
    let name = kind == .friendship ? "friend" : "follow"
    let (one, other) = (AccountID(), AccountID())
    let migrations = SocialMigrations.all
    try await UpgradedStore.upgrading(.social, migrations, before: 13) { transaction in
      for (state, at) in [("accepted", 2), ("rejected", 3), ("pending", nil)] as [(String, Int?)] {
        try transaction.database.execute(
          sql: """
            INSERT INTO \(name)_requests (\(name)_request_id, from_account, to_account, state, sent_at, answered_at)
            VALUES (randomblob(16), ?, ?, ?, 1, ?)
            """, arguments: [one, other, state, at])
      }
      // One that was erased: its number is not given again.
      try transaction.database.execute(
        sql: """
          INSERT INTO \(name)_requests (\(name)_request_id, from_account, to_account, state, sent_at)
          VALUES (randomblob(16), randomblob(16), randomblob(16), 'pending', 1);
          DELETE FROM \(name)_requests WHERE sequence = 4;
          """)
    } check: { store in
      let rows = try await store.read { database in
        try Row.fetchAll(database, sql: "SELECT * FROM \(name)_requests ORDER BY sequence").map { row in
          "\(row["sequence"] as Int) \(row["state"] as String) \(row["answered_at"] as Int? ?? 0) \(row["is_hidden"] as Int)"
        }
      }
      #expect(rows == ["1 accepted 2 0", "2 rejected 3 0", "3 pending 0 0"])
      let next = try await store.write { transaction in
        try transaction.database.execute(
          sql: """
            INSERT INTO \(name)_requests (\(name)_request_id, from_account, to_account, state, sent_at)
            VALUES (randomblob(16), ?, randomblob(16), 'pending', 1)
            """, arguments: [one])
        return transaction.database.lastInsertedRowID
      }
      #expect(next == 5)
    }
  }

  @Test("The tables refuse a second pending request between two accounts, or to follow one account")
  func waiting() async throws {
    try await ServicesInProcess.social(identity) { services in
      let (one, other) = (AccountID(), AccountID())
      try await insert("friend", from: one, to: other, services)
      await #expect(throws: DatabaseError.self) { try await insert("friend", from: one, to: other, services) }
      await #expect(throws: DatabaseError.self) { try await insert("friend", from: other, to: one, services) }
      try await insert("follow", from: one, to: other, services)
      await #expect(throws: DatabaseError.self) { try await insert("follow", from: one, to: other, services) }
      try await insert("follow", from: other, to: one, services)
      // One that the other cannot see, and so crosses.
      try await services.store(of: .social).write { transaction in
        try transaction.database.execute(sql: "UPDATE friend_requests SET is_hidden = 1")
      }
      try await insert("friend", from: other, to: one, services)
      await #expect(throws: DatabaseError.self) { try await insert("friend", from: one, to: other, services) }
    }
  }

  private func insert(_ kind: String, from one: AccountID, to other: AccountID, _ services: ServicesInProcess) async throws {
    try await services.store(of: .social).write { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO \(kind)_requests (\(kind)_request_id, from_account, to_account, state, sent_at)
          VALUES (randomblob(16), ?, ?, 'pending', 0)
          """, arguments: [one, other])
    }
  }
}
