import EarlierStores
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Audiences of broadcasts (NOT-5)", .timeLimit(.minutes(1)))
struct AudienceTests {
  private typealias People = [String: AccountID]

  /// Identity with six accounts ten days after they were registered, when all but one of them logged in; one uses its session today.
  private func run(_ body: (RunningIdentity, People, _ seenAt: Instant) async throws -> Void) async throws {
    try await RunningIdentity.run { identity in
      var people: People = [:]
      for name in ["active", "idle", "never", "spanish", "suspended", "unverified"] {
        let caller = Caller.person(language: name == "spanish" ? .spanish : .english)
        people[name] = try await identity.ask(RegisterAccount.self, RunningIdentity.form(name), by: caller).id
        guard name != "unverified" else { continue }
        _ = try await identity.ask(VerifyAccount.self, .init(token: try await identity.mailedToken()))
      }
      let (seenAt, active) = (identity.time.now, try await identity.logIn("active"))
      for name in ["idle", "spanish", "suspended", "unverified"] { _ = try await identity.logIn(name) }
      identity.time.advance(days: 10)
      _ = try await identity.ask(RefreshSession.self, .init(refreshToken: active.refreshToken))
      try await identity.suspend(try #require(people["suspended"]), days: 3)
      try await body(identity, people, seenAt)
    }
  }

  /// The names of an audience, whose list is in the order of ids, unless they are idle, and as long as it is counted.
  private func names(
    _ identity: RunningIdentity, _ people: People, _ language: Language? = nil, idleSince: Instant? = nil
  ) async throws -> [String] {
    let audience = Audience(language: language, idleSince: idleSince)
    let listed = try await identity.askAsNotifications(
      ListAudience.self, .init(audience: audience, after: nil, limit: 1000)
    ).accountIDs
    #expect(try await identity.askAsNotifications(CountAudience.self, audience).count == listed.count)
    #expect(idleSince != nil || listed == listed.sorted())
    return people.filter { listed.contains($0.value) }.keys.sorted()
  }

  @Test(
    "A message to all reaches verified accounts that are not suspended now, optionally of one language")
  func all() async throws {
    try await run { identity, people, _ in
      let everybody = try await names(identity, people)
      #expect(everybody == ["active", "idle", "never", "spanish"])
      #expect(try await names(identity, people, .spanish) == ["spanish"])
      identity.time.advance(days: 3)
      #expect(try await names(identity, people) == ["active", "idle", "never", "spanish", "suspended"])
    }
  }

  @Test("The stored count of an audience follows verification, changed languages, suspension and deletion")
  func keptCount() async throws {
    try await run { identity, people, _ in
      func count(_ language: Language? = nil) async throws -> Int {
        try await identity.askAsNotifications(CountAudience.self, Audience(language: language)).count
      }
      let kept = """
        SELECT group_concat(language || count) FROM (
          SELECT language, sum(count) AS count FROM audience_counts GROUP BY language ORDER BY language)
        """
      func rows() async throws -> String? { try await identity.store.read { try String.fetchOne($0, sql: kept) } }
      #expect(try await rows() == "en4,es1")
      let active = try await identity.logIn("active")
      _ = try await identity.ask(UpdateSettings.self, json: #"{"language":"es"}"#, by: .signedIn(active))
      #expect(try await rows() == "en3,es2")
      // Who is suspended is verified all the same, and not reached.
      let idle = try #require(people["idle"])
      try await identity.suspend(idle, days: 1)
      #expect(try await rows() == "en3,es2")
      #expect(try await count() == 3)
      identity.time.advance(days: 1)
      #expect(try await count() == 4)
      #expect(try await count(.spanish) == 2)
      let input = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
      _ = try await identity.ask(DeleteAccount.self, input, by: .signedIn(active))
      #expect(try await count() == 3)
      #expect(try await count(.spanish) == 1)
    }
  }

  @Test("A message to idle accounts reaches those without a used session since a day began, and none that was verified since")
  func idle() async throws {
    try await run { identity, people, seenAt in
      let after = seenAt.adding(seconds: 86_400)
      let idle = try await names(identity, people, idleSince: after)
      #expect(idle == ["idle", "never", "spanish"])
      #expect(try await names(identity, people, .spanish, idleSince: after) == ["spanish"])
      // Who used it on that very day is not.
      #expect(try await names(identity, people, idleSince: seenAt) == [])
      #expect(try await names(identity, people, idleSince: identity.time.now.adding(seconds: 86_400)).contains("active"))
    }
  }

  /// An audience, listed by pages of two.
  private func listed(_ identity: RunningIdentity, _ audience: Audience) async throws -> [AccountID] {
    var input = ListAudience.Input(audience: audience, after: nil, limit: 2)
    var all: [AccountID] = []
    while true {
      let page = try await identity.askAsNotifications(ListAudience.self, input)
      guard let last = page.accountIDs.last else { return all }
      all += page.accountIDs
      input.after = last
      input.afterDay = page.lastDay
    }
  }

  /// Compares lists and counts of idle accounts with a scan of all accounts and sessions.
  private func compare(_ identity: RunningIdentity) async throws {
    let now = identity.time.now
    let sql = """
      SELECT account_id FROM (
        SELECT account_id, language, suspended_until, max(verified_at, coalesce((
          SELECT max(max(s.created_at, s.last_seen_at)) FROM sessions s WHERE s.account_id = a.account_id
        ), 0)) / 86400000 AS day
        FROM accounts a WHERE verified_at IS NOT NULL)
      WHERE day < :before AND (suspended_until IS NULL OR suspended_until <= :now)
        AND (:language IS NULL OR language = :language)
      ORDER BY day, account_id
      """
    let languages: [Language?] = [nil, .english, .spanish]
    for language in languages {
      for days in [-1, 0, 1, 2, 3, 4, 12, 20] {
        let audience = Audience(language: language, idleSince: now.adding(seconds: -days * 86_400))
        let scanned = try await identity.store.read { database in
          try AccountID.fetchAll(
            database, sql: sql,
            arguments: ["before": now.milliseconds / 86_400_000 - Int64(days), "now": now, "language": language?.rawValue])
        }
        #expect(try await listed(identity, audience) == scanned)
        #expect(try await identity.askAsNotifications(CountAudience.self, audience).count == scanned.count)
      }
    }
  }

  @Test("Idle accounts are those that a scan finds after logins, refreshes, verification, new languages, suspension, deletion")
  func usedDays() async throws {
    try await run { identity, people, _ in
      try await compare(identity)
      identity.time.advance(days: 1)
      let idle = try await identity.logIn("idle")
      _ = try await identity.ask(UpdateSettings.self, json: #"{"language":"es"}"#, by: .signedIn(idle))
      try await compare(identity)
      // It has a session when it is verified.
      try await identity.register("late")
      let late = try await identity.logIn("late")
      try await compare(identity)
      _ = try await identity.ask(VerifyAccount.self, .init(token: try await identity.mailedToken()))
      try await compare(identity)
      identity.time.advance(days: 2)
      _ = try await identity.ask(RefreshSession.self, .init(refreshToken: late.refreshToken))
      try await identity.suspend(try #require(people["spanish"]), days: 1)
      try await compare(identity)
      identity.time.advance(days: 1)
      let active = try await identity.logIn("active")
      try await compare(identity)
      let input = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
      _ = try await identity.ask(DeleteAccount.self, input, by: .signedIn(active))
      try await compare(identity)
      // Sessions that are removed leave the days as they are.
      let sql = "SELECT hex(account_id) || used_day FROM audience_accounts ORDER BY account_id"
      let days = try await identity.store.read { try String.fetchAll($0, sql: sql) }
      #expect(days.count == 5)
      identity.time.advance(days: 45)
      try await identity.housekeeping().sweep()
      #expect(try await identity.count("SELECT count(*) FROM sessions") == 0)
      #expect(try await identity.store.read { try String.fetchAll($0, sql: sql) } == days)
    }
  }

  @Test("Accounts of an earlier store were last used on the day of their last session, or of their verification")
  func upgrade() async throws {
    let day: Int64 = 86_400_000
    try await UpgradedStore.upgrading(.identity, RunningIdentity.migrations(), before: 48) { transaction in
      func add(_ name: String, verifiedOn verified: Int64?, seenOn seen: Int64...) throws {
        let account = AccountID()
        try transaction.database.execute(
          sql: """
            INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at,
              verified_at)
            VALUES (?1, ?2, ?2, ?2, '$argon2id$', 'UTC', 'en', 0, ?3)
            """, arguments: [account, name, verified.map { $0 * day }])
        for number in seen {
          try transaction.database.execute(
            sql: "INSERT INTO sessions (session_id, account_id, created_at, expires_at, last_seen_at) VALUES (?, ?, ?, ?, ?)",
            arguments: [SessionID(), account, 2 * day, (number + 30) * day, number * day + 1])
        }
      }
      try add("ana", verifiedOn: 5, seenOn: 6, 9, 7)
      try add("ben", verifiedOn: 7)
      try add("eva", verifiedOn: nil, seenOn: 8)
    } check: { store in
      func rows(_ sql: String) async throws -> [String] { try await store.read { try String.fetchAll($0, sql: sql) } }
      let days = "SELECT username || used_day FROM audience_accounts JOIN accounts USING (account_id) ORDER BY 1"
      let counts = "SELECT language || used_day || ' ' || count FROM audience_counts WHERE count > 0 ORDER BY used_day"
      #expect(try await rows(days) == ["ana9", "ben7"])
      #expect(try await rows(counts) == ["en7 1", "en9 1"])
      try await store.write { transaction in
        try transaction.database.execute(
          sql: """
            INSERT INTO sessions (session_id, account_id, created_at, expires_at, last_seen_at)
            SELECT ?1, account_id, ?2, ?2, ?2 FROM accounts WHERE username = 'ben'
            """, arguments: [SessionID(), 9 * day])
      }
      #expect(try await rows(days) == ["ana9", "ben9"])
      #expect(try await rows(counts) == ["en9 2"])
    }
  }

  /// Adds accounts, of which the first alone is Spanish, and the first three were not used today.
  private func fill(_ identity: RunningIdentity, _ count: Int) async throws {
    let now = identity.time.now.milliseconds
    try await identity.store.write { transaction in
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
          INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at,
            verified_at)
          SELECT randomblob(16), i || '@example.com', i || '@example.com', 'user' || i, '$argon2id$', 'UTC',
            iif(i = 1, 'es', 'en'), 0, iif(i <= 3, 0, \(now)) FROM n
          """)
    }
  }

  /// What it takes to list and to count an audience, which has so many accounts, among others.
  private func steps(_ make: (Instant) -> Audience, of expected: Int, among count: Int) async throws -> [Int] {
    try await RunningIdentity.run { identity in
      try await fill(identity, count)
      let now = identity.time.now
      let audience = make(now)
      let found = try await identity.store.read { database in
        [
          try AudienceStore.list(audience, after: nil, of: nil, limit: 10, at: now, in: database).accountIDs.count,
          try AudienceStore.count(audience, at: now, in: database),
        ]
      }
      #expect(found == [expected, expected])
      let listing = try await identity.store.effort {
        _ = try AudienceStore.list(audience, after: nil, of: nil, limit: 10, at: now, in: $0)
      }
      let counting = try await identity.store.effort { _ = try AudienceStore.count(audience, at: now, in: $0) }
      return [listing.steps, counting.steps]
    }
  }

  private func expectNoGrowth(_ audience: (Instant) -> Audience, of expected: Int) async throws {
    let few = try await steps(audience, of: expected, among: 100)
    let many = try await steps(audience, of: expected, among: 10_000)
    #expect(zip(few, many).allSatisfy { $1 <= $0 + 2 }, "\(few), \(many)")
  }

  @Test("The accounts of a rare language are listed and counted as quickly among many others as among few")
  func rareLanguage() async throws { try await expectNoGrowth({ _ in Audience(language: .spanish) }, of: 1) }

  @Test("Idle accounts are listed and counted as quickly among many others as among few")
  func rareIdle() async throws {
    try await expectNoGrowth({ Audience(idleSince: $0) }, of: 3)
    try await expectNoGrowth({ Audience(language: .english, idleSince: $0) }, of: 2)
  }

  @Test("An audience is listed page by page, each after the last account of the one before, and for notifications only")
  func pages() async throws {
    try await run { identity, _, _ in
      func page(after last: AccountID?, _ limit: Int) async throws -> [AccountID] {
        let input = ListAudience.Input(audience: Audience(), after: last, limit: limit)
        return try await identity.askAsNotifications(ListAudience.self, input).accountIDs
      }
      let all = try await page(after: nil, 1000)
      let first = try await page(after: nil, 3)
      #expect(all.count == 4 && first == Array(all.prefix(3)))
      #expect(try await page(after: first.last, 3) == [all[3]])
      #expect(try await page(after: all.last, 3).isEmpty)
      for caller in [Caller.person(), .service(.gateway)] {
        #expect(try await failure { try await identity.ask(CountAudience.self, Audience(), by: caller) }.code == "forbidden")
      }
    }
  }
}
