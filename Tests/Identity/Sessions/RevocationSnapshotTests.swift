import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

/// What identity does for a gateway that begins: nobody is let in before it knows what was revoked lately.
@Suite("The snapshot of recent revocations")
struct RevocationSnapshotTests {
  /// What a gateway asks for (`EventHandlers.revocationNames`).
  private static let names = SessionRevoked.spec.names.union(AccessTokensInvalidated.spec.names)
    .union(PersonalAccessTokenRevoked.spec.names)

  /// The events of all pages.
  @Sendable
  private static func all(_ parts: SnapshotParts, _ database: Database) throws -> [any Event] {
    var page = try parts.page(database, of: names, after: nil)
    var events = page.events
    while let key = page.nextKey {
      page = try parts.page(database, of: names, after: key)
      events += page.events
    }
    return events
  }

  /// What it takes to read the whole snapshot among so many sessions and tokens, of which the same few were revoked lately.
  private func effort(others count: Int) async throws -> (events: Int, effort: ReadingEffort) {
    try await RunningIdentity.run { identity in
      try await identity.register()
      for _ in 0..<3 {
        let signedIn = try await identity.logIn()
        _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(signedIn))
      }
      let long = identity.time.now.adding(seconds: -86_400).milliseconds
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) SELECT i FROM n;
            -- Half of them go on, a quarter was revoked long ago, a quarter had its tokens outdated then.
            INSERT INTO sessions (session_id, account_id, created_at, expires_at, revoked_at, revocation_reason, outdated_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), \(long), \(long) + 2592000000, iif(i % 4 = 0, \(long), NULL),
              iif(i % 4 = 0, 'loggedOut', NULL), iif(i % 4 = 1, \(long), NULL) FROM n;
            INSERT INTO ended_sessions SELECT randomblob(16), randomblob(16), \(long) FROM n;
            INSERT INTO personal_access_tokens (token_id, account_id, name, token_hash, scopes, created_at, revoked_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'token ' || i, randomblob(32), 'activity:read', \(long),
              iif(i % 2 = 0, \(long), NULL) FROM n;
            DROP TABLE n;
            """)
      }
      let parts = SnapshotParts(try await identity.features().flatMap(\.snapshot))
      let walk: @Sendable (Database) throws -> [any Event] = { try Self.all(parts, $0) }
      let found = try await identity.store.read { try walk($0).count }
      return (found, try await identity.store.effort { _ = try walk($0) })
    }
  }

  /// What it takes to read the whole snapshot when so many sessions and tokens were revoked lately, and as many invalidated.
  private func effort(recent count: Int) async throws -> (events: Set<String>, effort: ReadingEffort) {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let now = identity.time.now.milliseconds
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) SELECT i FROM n;
            -- Several have each time.
            INSERT INTO sessions (session_id, account_id, created_at, expires_at, revoked_at, revocation_reason, outdated_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 0, \(now) + 2592000000, iif(i % 2, \(now) - i / 8, NULL),
              iif(i % 2, 'loggedOut', NULL), iif(i % 2, NULL, \(now) - i / 8) FROM n;
            INSERT INTO ended_sessions SELECT randomblob(16), randomblob(16), \(now) - i / 8 FROM n;
            INSERT INTO personal_access_tokens (token_id, account_id, name, token_hash, scopes, created_at, revoked_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'token ' || i, randomblob(32), 'activity:read', 0, \(now) - i / 8
              FROM n;
            DROP TABLE n;
            """)
      }
      let parts = SnapshotParts(try await identity.features().flatMap(\.snapshot))
      let walk: @Sendable (Database) throws -> [any Event] = { try Self.all(parts, $0) }
      let found = try await identity.store.read { try walk($0).map { String(decoding: $0.json, as: UTF8.self) } }
      #expect(found.count == count * 3, "each once")
      return (Set(found), try await identity.store.effort { _ = try walk($0) })
    }
  }

  @Test("Many recent revocations are read page by page, each once, and each page by its own rows only")
  func pages() async throws {
    let (few, many) = (try await effort(recent: 500), try await effort(recent: 4000))
    #expect(few.events.count == 1500 && many.events.count == 12_000)
    #expect(many.effort.steps <= few.effort.steps * 10, "\(few.effort.steps), \(many.effort.steps)")
  }

  @Test(
    "A starting gateway makes identity read only recent revocations, however many other sessions and tokens there are")
  func steps() async throws {
    let (few, many) = (try await effort(others: 100), try await effort(others: 20_000))
    #expect(few.events == 3 && many.events == 3)
    #expect(many.effort.steps <= few.effort.steps + 5, "\(few.effort.steps), \(many.effort.steps)")
  }
}
