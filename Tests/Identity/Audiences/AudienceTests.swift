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

  /// The names of an audience, whose list is in the order of ids and as long as it is counted.
  private func names(
    _ identity: RunningIdentity, _ people: People, _ language: Language? = nil, idleSince: Instant? = nil
  ) async throws -> [String] {
    let audience = Audience(language: language, idleSince: idleSince)
    let listed = try await identity.askAsNotifications(
      ListAudience.self, .init(audience: audience, after: nil, limit: 1000)
    ).accountIDs
    #expect(try await identity.askAsNotifications(CountAudience.self, audience).count == listed.count)
    #expect(listed == listed.sorted())
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
      let kept = "SELECT group_concat(language || count) FROM audience_counts"
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

  @Test("A message to idle accounts reaches those without a used session since an instant")
  func idle() async throws {
    try await run { identity, people, seenAt in
      let after = seenAt.adding(milliseconds: 1)
      let idle = try await names(identity, people, idleSince: after)
      #expect(idle == ["idle", "never", "spanish"])
      #expect(try await names(identity, people, .spanish, idleSince: after) == ["spanish"])
      // Who used it at that very instant is not.
      #expect(try await names(identity, people, idleSince: seenAt) == ["never"])
      #expect(try await names(identity, people, idleSince: identity.time.now.adding(milliseconds: 1)).contains("active"))
    }
  }

  /// What it takes to list the only account of a language.
  private func steps(among count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      let now = identity.time.now
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at,
              verified_at)
            SELECT randomblob(16), i || '@example.com', i || '@example.com', 'user' || i, '$argon2id$', 'UTC',
              iif(i = 1, 'es', 'en'), 0, 0 FROM n
            """)
      }
      let list: @Sendable (Database) throws -> [AccountID] = {
        try AudienceStore.list(Audience(language: .spanish), after: nil, limit: 10, at: now, in: $0)
      }
      #expect(try await identity.store.read { try list($0).count } == 1)
      return try await identity.store.effort { _ = try list($0) }.steps
    }
  }

  @Test("The accounts of a rare language are listed as quickly among many others as among few")
  func rareLanguage() async throws {
    let (few, many) = (try await steps(among: 100), try await steps(among: 10_000))
    #expect(many <= few + 2, "\(few), \(many)")
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
