import GRDB
import InProcess
import Operations
import Storage
import Testing

@Suite("The tables of friend requests and follow requests")
struct ConnectionRequestSchemaTests {
  let identity = IdentityDouble()

  @Test("are those of the stores that there are: a released migration does not change")
  func released() async throws {
    try await ServicesInProcess.social(identity) { services in
      let friends = try await schema(of: "friend_requests", services)
      #expect(
        friends == [
          """
          CREATE TABLE friend_requests ( sequence INTEGER PRIMARY KEY AUTOINCREMENT, \
          friend_request_id BLOB NOT NULL UNIQUE CHECK (length(friend_request_id) = 16), \
          from_account BLOB NOT NULL CHECK (length(from_account) = 16), \
          to_account BLOB NOT NULL CHECK (length(to_account) = 16), \
          state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected')), \
          sent_at INTEGER NOT NULL, answered_at INTEGER, CHECK (from_account <> to_account), \
          CHECK ((state = 'pending') = (answered_at IS NULL)) ) STRICT
          """,
          """
          CREATE UNIQUE INDEX friend_requests_pending \
          ON friend_requests (min(from_account, to_account), max(from_account, to_account)) WHERE state = 'pending'
          """,
          "CREATE INDEX friend_requests_received ON friend_requests (to_account, sequence)",
          "CREATE INDEX friend_requests_sent ON friend_requests (from_account, sequence)",
        ])
      let follows = try await schema(of: "follow_requests", services)
      #expect(
        follows.dropFirst() == [
          "CREATE UNIQUE INDEX follow_requests_pending ON follow_requests (from_account, to_account) WHERE state = 'pending'",
          "CREATE INDEX follow_requests_received ON follow_requests (to_account, sequence)",
          "CREATE INDEX follow_requests_sent ON follow_requests (from_account, sequence)",
        ])
      let migrations = try await migrations(services)
      #expect(migrations.filter { $0.hasSuffix("requests") } == ["friend requests", "follow requests"])
    }
  }

  @Test("refuse by themselves a second request that waits: between two friends to be, and from one account to another")
  func waiting() async throws {
    try await ServicesInProcess.social(identity) { services in
      let (one, other) = (AccountID(), AccountID())
      try await insert("friend", from: one, to: other, services)
      await #expect(throws: DatabaseError.self) { try await insert("friend", from: one, to: other, services) }
      await #expect(throws: DatabaseError.self) { try await insert("friend", from: other, to: one, services) }
      try await insert("follow", from: one, to: other, services)
      await #expect(throws: DatabaseError.self) { try await insert("follow", from: one, to: other, services) }
      try await insert("follow", from: other, to: one, services)
    }
  }

  /// The statements that make a table and its indexes, blanks in a row taken as one.
  private func schema(of table: String, _ services: ServicesInProcess) async throws -> [String] {
    try await services.store(of: .social).read { database in
      try String.fetchAll(
        database, sql: "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC, name",
        arguments: [table])
    }.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
  }

  private func migrations(_ services: ServicesInProcess) async throws -> [String] {
    try await services.store(of: .social).read { database in
      try String.fetchAll(database, sql: "SELECT name FROM store_migrations WHERE series = 'service' ORDER BY number")
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
