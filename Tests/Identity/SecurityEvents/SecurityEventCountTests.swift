import EarlierStores
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Security events counted by day (ID-15)", .timeLimit(.minutes(1)))
struct SecurityEventCountTests {
  private static let kept = "SELECT day, kind, severity, count FROM security_event_counts ORDER BY 1, 2, 3"
  private static let counted = """
    SELECT at - at % 86400000 AS day, kind, severity, count(*) AS count FROM security_events GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """

  private func rows(_ sql: String, in store: Store) async throws -> [String] {
    try await store.read { database in
      try Row.fetchAll(database, sql: sql).map { row in
        "\(row["day"] as Int64) \(row["kind"] as String) \(row["severity"] as String) \(row["count"] as Int)"
      }
    }
  }

  private static func add(atHour hour: Int, _ transaction: Transaction) throws {
    try transaction.database.execute(
      sql: "INSERT INTO security_events (security_event_id, at, kind, severity) VALUES (?, ?, 'loginFailed', 'info')",
      arguments: [ID<RecordedSecurityEvent>(), hour * 3_600_000])
  }

  @Test("The stored counts are those of the events, also after an account was deleted and old events were removed")
  func counts() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.guess(times: 2)
      let ana = try await identity.logIn()
      let input = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
      _ = try await identity.ask(DeleteAccount.self, input, by: .signedIn(ana))
      identity.time.advance(days: 45)
      try await identity.guess(times: 3)
      let all = try await rows(Self.kept, in: identity.store)
      #expect(all.contains { $0.hasSuffix(" loginFailed info 2") } && all.contains { $0.hasSuffix(" loginFailed info 3") })
      #expect(try await rows(Self.counted, in: identity.store) == all)
      identity.time.advance(days: 50)
      try await identity.housekeeping().sweep()
      let left = try await rows(Self.kept, in: identity.store)
      #expect(left == all.filter { $0.hasSuffix(" loginFailed info 3") })
      #expect(try await rows(Self.counted, in: identity.store) == left)
    }
  }

  @Test("Events of earlier stores are counted after the upgrade, and later events with them")
  func upgrade() async throws {
    try await UpgradedStore.upgrading(.identity, RunningIdentity.migrations(), before: 45) { transaction in
      for hour in [0, 23, 24] { try Self.add(atHour: hour, transaction) }
    } check: { store in
      #expect(try await rows(Self.kept, in: store) == ["0 loginFailed info 2", "86400000 loginFailed info 1"])
      try await store.write { try Self.add(atHour: 47, $0) }
      #expect(try await rows(Self.kept, in: store) == ["0 loginFailed info 2", "86400000 loginFailed info 2"])
    }
  }

  /// What it takes to read what a report of a day with so many events says.
  private func steps(events count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      let now = identity.time.now
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO security_events (security_event_id, at, kind, severity)
            SELECT randomblob(16), \(now.milliseconds) - i, 'loginFailed', 'info' FROM n
            """)
      }
      let span = SecurityReportRules.span(.daily, at: now)
      let content = try await identity.store.read { try SecurityReportStore.content(span, in: $0) }
      #expect(content.counts.map(\.count) == [count])
      return try await identity.store.effort { _ = try SecurityReportStore.content(span, in: $0) }.steps
    }
  }

  @Test("To say how often something happened takes a security report no longer where there are many events")
  func effort() async throws {
    let (few, many) = (try await steps(events: 100), try await steps(events: 10_000))
    #expect(many <= few + 2, "\(few), \(many)")
  }

  /// What it takes to count refused links and proofs of an address from which so much else came.
  private func steps(ofSubscriberWith count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      let caller = Caller(kind: .anonymous, address: "198.51.100.1")
      let now = identity.time.now
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO security_events (security_event_id, at, kind, severity, subscriber)
            SELECT randomblob(16), ?, 'loggedIn', 'info', ? FROM n
            """, arguments: [now, SecurityEvent.subscriber(caller)])
      }
      return try await identity.store.effort { database in
        _ = try SecurityEventStore.guessedLinks(from: caller, since: now.adding(seconds: -60), in: database)
        _ = try SecurityEventStore.refusedProofs(from: caller, since: now.adding(seconds: -60), in: database)
      }.steps
    }
  }

  @Test("What an address guessed is counted as quickly where thousands of people use it as where few do")
  func sharedAddress() async throws {
    let (few, many) = (try await steps(ofSubscriberWith: 10), try await steps(ofSubscriberWith: 10_000))
    #expect(many <= few + 5, "\(few), \(many)")
  }
}
