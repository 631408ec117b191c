import GRDB
import IdentityContract
import InProcess
import Operations
import SecureStorage
import Storage
import Testing

@testable import IdentityService

extension ExternalProviderProcesses {
  @Suite(
    "Revoking grants at a provider (ID-10, ID-12)",
    .enabled(if: TestProvider.python != nil, "needs the Python packages of Tests/requirements.txt"))
  struct GrantRevocationTests {
    /// Why nothing comes of a login.
    enum Refusal: String, CaseIterable, Sendable {
      case external_email_missing, external_account_exists, external_proof_invalid, external_provider_unavailable

      var control: String {
        switch self {
        case .external_email_missing: #"{"person":{"sub":"person-1"}}"#
        case .external_account_exists: "{}"
        case .external_proof_invalid: #"{"sign":"absent"}"#
        case .external_provider_unavailable: #"{"trouble":{"/jwks":"503"}}"#
        }
      }
    }

    @Test("A refused login leaves no grant at the provider, whatever the reason", arguments: Refusal.allCases)
    func refusedLogin(refusal: Refusal) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("ana")
        try await provider.behave(refusal.control)
        #expect(try await failure { try await identity.logIn(by: provider) }.code == refusal.rawValue)
        #expect(try await identity.count(RunningIdentity.waitingGrants) == 1)
        let grant = try #require(try await provider.grants().last)
        #expect(try !identity.keeps(#require(grant.refresh_token)))
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().map(\.token) == [grant.refresh_token])
        #expect(try await identity.grants() == [0, 0])
      }
    }

    @Test("A refused link's grant is revoked, unless the person is linked elsewhere: then that identity keeps it")
    func refusedLink() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let worker = try await identity.revocations(provider.settings)
        let (bea, _) = try await identity.linked(to: provider)
        try await identity.register("carla")
        let carla = try await identity.logIn("carla")
        let elsewhere = try await failure { try await identity.link(carla, to: provider) }
        #expect(elsewhere.code == "identity_linked_elsewhere")
        try await worker.sendDue()
        #expect(try await provider.revocations().isEmpty)
        #expect(try await identity.grants() == [1, 1])

        try await provider.behave(#"{"person":{"sub":"person-2"}}"#)
        let second = try await failure { try await identity.link(bea, to: provider) }
        #expect(second.code == "external_provider_linked_already")
        try await worker.sendDue()
        let grants = try await provider.grants().map(\.refresh_token)
        #expect(try await provider.revocations().map(\.token) == [grants[2]])
        try await identity.unlink("bea")
        try await worker.sendDue()
        #expect(try await provider.revocations().map(\.token) == [grants[2], grants[1]])
        #expect(try await identity.grants() == [0, 0])
      }
    }

    @Test("A process killed before a login has a result leaves its grant to be revoked a little later")
    func killedBefore() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"trouble":{"/jwks":"hang"}}"#)
        let answer = try await identity.answered(provider).logIn
        let login = Task { try await identity.ask(CompleteExternalLogin.self, answer) }
        try await provider.isAsked(for: "/jwks")
        let restarted = try await identity.restarted()
        _ = await login.result
        try await provider.behave()
        #expect(try await restarted.grants() == [1, 1])
        let worker = try await restarted.revocations(provider.settings)
        for (seconds, published) in [(ProviderRevocationRules.heldSeconds - 1, 0), (1, 1)] {
          identity.time.advance(seconds: seconds)
          try await worker.sendDue()
          #expect(try await provider.revocations().count == published)
        }
        #expect(try await restarted.grants() == [0, 0])
        await restarted.store.close()
      }
    }

    @Test(
      "An expired access token is not revoked, and nothing is recorded",
      arguments: [(59, 1), (60, 0)])
    func ended(seconds: Int, asked: Int) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"refresh":false,"revoke_error":"unsupported_token_type"}"#)
        try await identity.unlinked(from: provider)
        identity.time.advance(seconds: seconds)
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.count("/revoke") == asked)
        #expect(try await identity.grants() == [0, 0])
        let event = asked == 1 ? "grantRevocationRefused" : "identityUnlinked"
        #expect(try await identity.securityEvents().last == event)
      }
    }

    @Test("A grant unknown to the provider counts as revoked")
    func unknown() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"revoke_error":"invalid_token"}"#)
        try await identity.unlinked(from: provider)
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.count("/revoke") == 1)
        #expect(try await identity.grants() == [0, 0])
        #expect(try await identity.securityEvents().last == "identityUnlinked")
      }
    }

    @Test(
      "A failing provider is asked to revoke a grant after growing delays, also after a restart",
      arguments: ["503", "429", "hang", "redirect"])
    func away(trouble: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        let worker = try await identity.revocations(provider.settings)
        try await identity.unlinked(from: provider)
        try await provider.behave(#"{"trouble":{"/revoke":"\#(trouble)"}}"#)
        for (seconds, asked) in [(0, 1), (0, 1), (29, 1), (1, 2), (59, 2), (1, 3)] {
          identity.time.advance(seconds: seconds)
          try await worker.sendDue()
          #expect(try await provider.count("/revoke") == asked)
        }
        #expect(try await identity.count(RunningIdentity.waitingGrants) == 1)
        #expect(try await identity.grants() == [1, 1])
        try await provider.behave()
        identity.time.advance(seconds: 120)
        try await identity.running {
          let published = try await provider.revocations(atLeast: 1)
          #expect(try await published.map(\.token) == provider.grants().map(\.refresh_token))
        }
      }
    }

    @Test("A process killed while it asks the provider to revoke a grant asks again")
    func killed() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.unlinked(from: provider)
        let (now, secrets) = (identity.time.now, identity.secretStorage)
        let due = try await identity.store.read { try ProviderGrantStore.due(now: now, ofEach: 9, in: $0) }
        let taken = try await identity.store.write { try ProviderGrantStore.takeOn(due[0].id, in: secrets, $0) }
        #expect(try await taken?.token.text == provider.grants()[0].refresh_token)
        // Nobody else has it meanwhile.
        #expect(try await identity.store.write { try ProviderGrantStore.takeOn(due[0].id, in: secrets, $0) } == nil)
        let restarted = try await identity.restarted()
        identity.time.advance(seconds: ProviderRevocationRules.firstDelaySeconds)
        try await restarted.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().count == 1)
        #expect(try await restarted.grants() == [0, 0])
        await restarted.store.close()
      }
    }

    @Test(
      "A grant that the provider refuses to revoke is forgotten, and only the error's name is recorded",
      arguments: [
        (#""revoke_error":"unsupported_token_type""#, "unsupported_token_type"), (#""revoke_error":"<b>""#, "unknown_error"),
        (#""trouble":{"/revoke":"404"}"#, "unknown_error"),
      ])
    func refused(control: String, reason: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.unlinked(from: provider)
        try await provider.behave("{\(control)}")
        let worker = try await identity.revocations(provider.settings)
        try await worker.sendDue()
        #expect(try await identity.grants() == [0, 0])
        #expect(try await identity.lastSecurityEvent() == "grantRevocationRefused: corp \(reason)")
        identity.time.advance(seconds: ProviderRevocationRules.patienceSeconds)
        try await worker.sendDue()
        #expect(try await provider.count("/revoke") == 1)
      }
    }

    @Test("A provider that is no longer configured, or has another issuer, is asked once it is back; after a week it is given up")
    func unconfigured() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let none = try await identity.revocations([:])
        try await identity.unlinked(from: provider)
        try await none.sendDue()
        identity.time.advance(seconds: 30)
        try await TestProvider.run { other in
          try await identity.revocations(other.settings).sendDue()
          #expect(try await other.revocations().isEmpty)
        }
        identity.time.advance(seconds: 60)
        #expect(try await identity.count(RunningIdentity.waitingGrants) == 1)
        #expect(try await provider.revocations().isEmpty)
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().count == 1)

        try await identity.unlinked(from: provider, "carla")
        for _ in 0..<40 {
          try await none.sendDue()
          identity.time.advance(seconds: ProviderRevocationRules.longestDelaySeconds)
        }
        #expect(try await identity.grants() == [0, 0])
        #expect(try await identity.lastSecurityEvent() == "grantRevocationGivenUp: corp unknown_provider")
        #expect(try await provider.revocations().count == 1)
      }
    }

    @Test("Many grants of a provider that is down do not delay those of another, and it is asked once per round")
    func fairness() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.unlinked(from: provider)
        try await identity.store.write { transaction in
          try transaction.database.execute(
            sql: """
              WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 120)
              INSERT INTO provider_grants (grant_id, provider, issuer, token_kind, next_at)
              SELECT randomblob(16), 'away', 'https://away.example', 'refresh_token', -1 FROM numbers
              """)
        }
        let all = "SELECT grant_id FROM provider_grants"
        let grants = try await identity.store.read { try ProviderGrantID.fetchAll($0, sql: all) }
        let (now, secrets) = (identity.time.now, identity.secretStorage)
        let due = try await identity.store.read { try ProviderGrantStore.due(now: now, ofEach: 5, in: $0) }
        #expect(due.map(\.provider).sorted() == [String](repeating: "away", count: 5) + ["corp"])
        try await identity.store.write { transaction in
          for id in grants { try SecretStore.keep([1], SecretName(.providerToken, of: id.bytes), in: secrets, transaction) }
        }
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().count == 1)
        #expect(try await identity.count("SELECT SUM(tries) FROM provider_grants") == 1)
      }
    }
  }
}

@Suite("Retrying to revoke a provider's grant (ID-10, ID-12)")
struct ProviderRevocationRulesTests {
  @Test(
    "Revoking a provider's grant is retried after 30 s, doubling up to six hours, for a week",
    arguments: [
      (1, 0, 30), (2, 30, 60), (3, 90, 120), (10, 15_330, 15_360), (11, 30_690, 21_600), (20, 200_000, 21_600),
      // The last try ends the week.
      (36, 604_000, 800), (36, 604_799, 1), (37, 604_800, nil), (37, 700_000, nil),
      // A clock that was put back.
      (2, -500, 60),
    ] as [(Int, Int, Int?)])
  func delays(tries: Int, waited: Int, delay: Int?) {
    let first = Instant(milliseconds: 1_800_000_000_000)
    let now = first.adding(seconds: waited)
    #expect(
      ProviderRevocationRules.nextTry(after: tries, firstTriedAt: first, now: now) == delay.map { now.adding(seconds: $0) })
  }
}
