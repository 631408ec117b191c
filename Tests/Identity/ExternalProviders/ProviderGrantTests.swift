import EarlierStores
import Foundation
import GRDB
import IdentityContract
import Logging
import Operations
import SecureStorage
import ServiceKit
import Storage
import Testing

@testable import IdentityService

extension ExternalProviderProcesses {
  @Suite(
    "What people granted at a provider (ID-10, ID-12, ID-16)",
    .enabled(if: TestProvider.python != nil, "needs the Python packages of Tests/requirements.txt"))
  struct ProviderGrantTests {
    private static let waiting = "SELECT COUNT(*) FROM provider_grants WHERE identity_id IS NULL"

    /// How the client proves itself.
    enum Proof: String, CaseIterable, Sendable {
      case header, form, none

      var control: String {
        switch self {
        case .header: "{}"
        case .form: #"{"metadata":{"token_endpoint_auth_methods_supported":["client_secret_post"]},"secret_in_form":true}"#
        case .none: #"{"public":true}"#
        }
      }

      var settings: [String: String] { self == .none ? ["racha.externalProviders.corp.clientSecret": ""] : [:] }
    }

    @Test(
      "its token is kept sealed and nowhere else, and the provider is told to forget it when the identity is unlinked",
      arguments: Proof.allCases)
    func unlinking(proof: Proof) async throws {
      try await TestProvider.withIdentity(settings: proof.settings) { provider, identity in
        try await provider.behave(proof.control)
        let worker = try await identity.revocations(provider.settings.merging(proof.settings) { _, new in new })
        let (bea, linked) = try await identity.linked(to: provider)
        let grant = try #require(try await provider.grants().last)
        #expect(try await identity.grants() == [1, 1])
        #expect(try identity.keeps("bea@example.com"))
        for text in [try #require(grant.refresh_token), grant.access_token] { #expect(try !identity.keeps(text)) }
        try await worker.sendDue()
        #expect(try await provider.revocations().isEmpty)

        _ = try await identity.ask(UnlinkIdentity.self, .init(identityID: linked.id), by: .signedIn(bea))
        #expect(try await identity.count(Self.waiting) == 1)
        for _ in 0..<2 { try await worker.sendDue() }
        let told = TestProvider.Revocation(token: grant.refresh_token, hint: "refresh_token", proof: proof.rawValue)
        #expect(try await provider.revocations() == [told])
        #expect(try await provider.count("/revoke") == 1)
        #expect(try await identity.grants() == [0, 0])
        #expect(try await identity.securityEvents() == ["identityLinked", "identityUnlinked"])
      }
    }

    @Test("it is given back when the account is deleted; until then nothing says whose it was, and then nothing is left of it")
    func deletion() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let (bea, linked) = try await identity.linked(to: provider)
        #expect(try identity.keeps("person-1"))
        let input = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
        _ = try await identity.ask(DeleteAccount.self, input, by: .signedIn(bea))
        #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 0)
        #expect(try await identity.count(Self.waiting) == 1)
        #expect(try await identity.grants() == [1, 1])
        let row = try await identity.store.read { database in
          try Row.fetchOne(database, sql: "SELECT * FROM provider_grants").map { ($0["grant_id"] as Data, $0.description) }
        }
        let (id, text) = try #require(row)
        #expect(id != Data(bea.account.id.bytes) && id != Data(linked.id.bytes))
        let issuer = provider.issuer
        #expect(
          text.contains(#"identity_id:NULL provider:"corp" issuer:"\#(issuer)" token_kind:"refresh_token" tries:0"#), "\(text)")

        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().map(\.token) == provider.grants().map(\.refresh_token))
        #expect(try await identity.grants() == [0, 0])
        try await identity.store.rewrite()
        #expect(try !identity.keeps("person-1"))
      }
    }

    @Test(
      "of a later login the newer token is kept, but no access token in place of a refresh token",
      arguments: [(true, true, 1), (false, true, 1), (true, false, 0), (false, false, 1)])
    func replacing(first: Bool, second: Bool, kept: Int) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"refresh":\#(first)}"#)
        let (bea, linked) = try await identity.linked(to: provider)
        try await provider.behave(#"{"refresh":\#(second)}"#)
        // One way or the other: by logging in, and by linking once more.
        if second { _ = try await identity.logIn(by: provider) } else { _ = try await identity.link(bea, to: provider) }
        #expect(try await identity.grants() == [1, 1])
        _ = try await identity.ask(UnlinkIdentity.self, .init(identityID: linked.id), by: .signedIn(bea))
        try await identity.revocations(provider.settings).sendDue()
        let grant = try await provider.grants()[kept]
        let hint = grant.refresh_token == nil ? "access_token" : "refresh_token"
        let told = TestProvider.Revocation(token: grant.refresh_token ?? grant.access_token, hint: hint, proof: "header")
        #expect(try await provider.revocations() == [told])
      }
    }

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

    @Test("a login that is refused leaves none at the provider, whatever the reason", arguments: Refusal.allCases)
    func refusedLogin(refusal: Refusal) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("ana")
        try await provider.behave(refusal.control)
        #expect(try await failure { try await identity.logIn(by: provider) }.code == refusal.rawValue)
        #expect(try await identity.count(Self.waiting) == 1)
        let grant = try #require(try await provider.grants().last)
        #expect(try !identity.keeps(#require(grant.refresh_token)))
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().map(\.token) == [grant.refresh_token])
        #expect(try await identity.grants() == [0, 0])
      }
    }

    @Test("that of a link that is refused is given back, unless the person is linked elsewhere: then that identity keeps it")
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

    @Test("a process that is killed before anything has come of the login leaves it to be given back a little later")
    func killedBefore() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"trouble":{"/jwks":"hang"}}"#)
        let answer = try await identity.answered(provider).logIn
        let login = Task { try await identity.ask(CompleteExternalLogin.self, answer) }
        while try await provider.count("/jwks") == 0 { await Task.yield() }
        let restarted = try await identity.restarted()
        _ = await login.result
        try await provider.behave()
        #expect(try await restarted.grants() == [1, 1])
        let worker = try await restarted.revocations(provider.settings)
        for (seconds, told) in [(RevocationRule.heldSeconds - 1, 0), (1, 1)] {
          identity.time.advance(seconds: seconds)
          try await worker.sendDue()
          #expect(try await provider.revocations().count == told)
        }
        #expect(try await restarted.grants() == [0, 0])
        await restarted.store.close()
      }
    }

    @Test("one that is being given back is kept for no identity any more")
    func late() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let (bea, linked) = try await identity.linked(to: provider)
        let secrets = identity.secretStorage
        let held = try await identity.store.write {
          try $0.holdGrant(
            ProviderToken(kind: .refresh, text: "late"), of: linked.provider, provider.issuer, in: secrets)
        }
        let id = try #require(held)
        identity.time.advance(seconds: RevocationRule.heldSeconds)
        try await identity.store.write { transaction in
          #expect(try transaction.takeOnRevocation(id, in: secrets)?.token.text == "late")
          let identities = try transaction.database.externalIdentities(of: bea.account.id)
          try transaction.keepGrant(id, of: identities[0])
        }
        #expect(try await identity.count(Self.waiting) == 1)
        #expect(try await identity.grants() == [2, 2])
      }
    }

    @Test(
      "an access token that has ended by itself needs no giving back, and nothing is recorded of it",
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

    @Test("one of which the provider says that it does not know it is forgotten there, which is no refusal")
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

    @Test("an account that was made by the login has it kept, too")
    func newAccount() async throws {
      try await TestProvider.withIdentity { provider, identity in
        _ = try await identity.logIn(by: provider)
        #expect(try await identity.grants() == [1, 1])
      }
    }

    @Test(
      "of a provider that announces no endpoint to give it back, or none that could be used, nothing is kept",
      arguments: ["null", #""http://192.0.2.1/revoke""#])
    func noEndpoint(url: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"metadata":{"revocation_endpoint":\#(url)}}"#)
        let (bea, linked) = try await identity.linked(to: provider)
        #expect(try await identity.grants() == [0, 0])
        _ = try await identity.ask(UnlinkIdentity.self, .init(identityID: linked.id), by: .signedIn(bea))
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.count("/revoke") == 0)
      }
    }

    @Test("where no key can be used, the login goes on without it, and that is recorded")
    func noStorage() async throws {
      try await TestProvider.withIdentity { provider, identity in
        for folder in [identity.home.keys, "\(identity.home.path)/spare/keys"] {
          try Home.makePrivateFolder(folder)
          #expect(FileManager.default.createFile(atPath: "\(folder)/secrets-1", contents: Data([1])))
        }
        _ = try await identity.linked(to: provider)
        #expect(try await identity.grants() == [0, 0])
        #expect(try await identity.securityEvents().contains("secretStorageFailed"))
        #expect(try await !identity.logIn(by: provider).isNewAccount)
      }
    }

    @Test(
      "a provider in trouble is told later and later, and after a restart of the service, by itself",
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
        #expect(try await identity.count(Self.waiting) == 1)
        #expect(try await identity.grants() == [1, 1])
        try await provider.behave()
        identity.time.advance(seconds: 120)
        try await identity.running {
          let told = try await provider.revocations(atLeast: 1)
          #expect(try await told.map(\.token) == provider.grants().map(\.refresh_token))
        }
      }
    }

    @Test("a process that is killed while it tells the provider tells it again")
    func killed() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.unlinked(from: provider)
        let (now, secrets) = (identity.time.now, identity.secretStorage)
        let due = try await identity.store.read { try $0.dueRevocations(now: now, ofEach: 9) }
        let taken = try await identity.store.write { try $0.takeOnRevocation(due[0].id, in: secrets) }
        #expect(try await taken?.token.text == provider.grants()[0].refresh_token)
        // Nobody else has it meanwhile.
        #expect(try await identity.store.write { try $0.takeOnRevocation(due[0].id, in: secrets) } == nil)
        let restarted = try await identity.restarted()
        identity.time.advance(seconds: RevocationRule.firstDelaySeconds)
        try await restarted.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().count == 1)
        #expect(try await restarted.grants() == [0, 0])
        await restarted.store.close()
      }
    }

    @Test(
      "one that the provider will not have back is forgotten, and recorded by the name of the error alone",
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
        identity.time.advance(seconds: RevocationRule.patienceSeconds)
        try await worker.sendDue()
        #expect(try await provider.count("/revoke") == 1)
      }
    }

    @Test("a provider that is not configured, or is another by its name, is told when it is again; after a week it is given up")
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
        #expect(try await identity.count(Self.waiting) == 1)
        #expect(try await provider.revocations().isEmpty)
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().count == 1)

        try await identity.unlinked(from: provider, "carla")
        for _ in 0..<40 {
          try await none.sendDue()
          identity.time.advance(seconds: RevocationRule.longestDelaySeconds)
        }
        #expect(try await identity.grants() == [0, 0])
        #expect(try await identity.lastSecurityEvent() == "grantRevocationGivenUp: corp unknown_provider")
        #expect(try await provider.revocations().count == 1)
      }
    }

    @Test("many for a provider that is away keep none for another waiting, and it is asked once in a round")
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
        let due = try await identity.store.read { try $0.dueRevocations(now: now, ofEach: 5) }
        #expect(due.map(\.provider).sorted() == [String](repeating: "away", count: 5) + ["corp"])
        try await identity.store.write { transaction in
          for id in grants { try transaction.keepSecret([1], SecretName(.providerToken, of: id.bytes), in: secrets) }
        }
        try await identity.revocations(provider.settings).sendDue()
        #expect(try await provider.revocations().count == 1)
        #expect(try await identity.count("SELECT SUM(tries) FROM provider_grants") == 1)
      }
    }

    @Test("it is sealed anew with all secrets when the key is rotated; without its key it waits, damaged it is given up")
    func rotation() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let worker = try await identity.revocations(provider.settings)
        let keys = identity.home.keys
        _ = try await identity.linked(to: provider)
        _ = try identity.home.secret("secrets-2")
        try await SecretRotation(store: identity.store, storage: identity.secretStorage).renewAll()
        try FileManager.default.removeItem(atPath: "\(keys)/secrets-1")
        try await identity.unlink("bea")
        try FileManager.default.moveItem(atPath: "\(keys)/secrets-2", toPath: "\(keys)/away")
        try await worker.sendDue()
        #expect(try await identity.count(Self.waiting) == 1)
        #expect(try await provider.count("/revoke") == 0)
        try FileManager.default.moveItem(atPath: "\(keys)/away", toPath: "\(keys)/secrets-2")
        identity.time.advance(seconds: 30)
        try await worker.sendDue()
        #expect(try await provider.revocations().map(\.token) == provider.grants().map(\.refresh_token))

        try await identity.unlinked(from: provider, "carla")
        try await identity.store.write { try $0.database.execute(sql: "UPDATE secrets SET sealed = x'0101000000020203'") }
        try await worker.sendDue()
        #expect(try await identity.grants() == [0, 0])
        #expect(try await identity.securityEvents().suffix(2) == ["secretDamaged", "grantRevocationGivenUp"])
        #expect(try await provider.count("/revoke") == 1)
      }
    }
  }
}

@Suite("Giving a provider's grant back (ID-10, ID-12)")
struct RevocationRuleTests {
  @Test(
    "is tried again after 30 s, then twice as long each time, up to six hours, for a week",
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
      RevocationRule.nextTry(after: tries, firstTriedAt: first, now: now) == delay.map { now.adding(seconds: $0) })
  }
}

@Suite("Stores of identity with identities from before grants were kept (ID-10)")
struct ProviderGrantSchemaTests {
  @Test("their identities have none and are removed as before; grants of later logins wait for their provider from then on")
  func upgrade() async throws {
    let account = AccountID()
    try await UpgradedStore.upgrading(.identity, Schema.migrations, before: 26) { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at)
          VALUES (?, 'a@example.org', 'a@example.org', 'ana', '$argon2id$', 'UTC', 'en', 1)
          """, arguments: [account])
      for name in ["one", "two"] {
        try transaction.database.execute(
          sql: """
            INSERT INTO external_identities (identity_id, account_id, provider, issuer, subject, linked_at)
            VALUES (?, ?, ?, 'https://a.example', ?, 1)
            """, arguments: [ExternalIdentityID(), account, name, name])
      }
    } check: { store in
      try await store.write { transaction in
        let identities = try transaction.database.externalIdentities(of: account)
        #expect(identities.count == 2)
        try transaction.database.execute(
          sql: """
            INSERT INTO provider_grants (grant_id, identity_id, provider, issuer, token_kind)
            VALUES (?, ?, 'one', 'https://a.example', 'refresh_token')
            """, arguments: [ProviderGrantID(), identities[0].id])
        #expect(try transaction.database.dueRevocations(now: transaction.now, ofEach: 9).isEmpty)
        for identity in identities { try transaction.unlink(identity, .service(.identity)) }
      }
      let due = try await store.read { try $0.dueRevocations(now: Instant(milliseconds: 0), ofEach: 9) }
      #expect(due.map(\.provider) == ["one"])
    }
  }

  @Test("of their access tokens no end is known: the provider is asked")
  func ends() async throws {
    try await UpgradedStore.upgrading(.identity, Schema.migrations, before: 27) { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO provider_grants (grant_id, provider, issuer, token_kind)
          VALUES (?, 'one', 'https://a.example', 'access_token')
          """, arguments: [ProviderGrantID()])
    } check: { store in
      let due = try await store.read { try $0.dueRevocations(now: Instant(milliseconds: 0), ofEach: 9) }
      #expect(due.map(\.provider) == ["one"])
      let ends = try await store.read { try Int?.fetchAll($0, sql: "SELECT ends_at FROM provider_grants") }
      #expect(ends == [nil])
    }
  }
}

extension RunningIdentity {
  /// Its secure storage.
  fileprivate var secretStorage: SecureStorage {
    SecureStorage(KeyFolder(id: 1, home: home), second: KeyFolder(id: 2, home: Home(path: "\(home.path)/spare")))
  }

  /// How many grants it keeps, and how many of their tokens.
  fileprivate func grants() async throws -> [Int] {
    [
      try await count("SELECT COUNT(*) FROM provider_grants"),
      try await count("SELECT COUNT(*) FROM secrets WHERE kind = 'providerToken'"),
    ]
  }

  /// What gives grants back, with those providers.
  fileprivate func revocations(_ settings: [String: String]) async throws -> ProviderRevocations {
    let logins = ExternalLogins(
      ExternalProviderSettings(Settings(settings)), web: ProviderWeb(), clock: time.clock,
      key: try await IdentityKeys(home).externalLogins, secrets: secretStorage)
    let logger = Logger(label: "identity") { _ in SwiftLogNoOpLogHandler() }
    return ProviderRevocations(store: store, logins: logins, clock: time.clock, logger: logger)
  }

  /// A new account that is linked to the person at the provider.
  fileprivate func linked(to provider: TestProvider, _ username: String = "bea") async throws -> (SignedIn, ExternalIdentity) {
    try await register(username)
    let session = try await logIn(username)
    return (session, try await link(session, to: provider))
  }

  /// The same, unlinked again.
  fileprivate func unlinked(from provider: TestProvider, _ username: String = "bea") async throws {
    _ = try await linked(to: provider, username)
    try await unlink(username)
  }

  fileprivate func unlink(_ username: String) async throws {
    let session = try await logIn(username)
    let identity = try #require(try await ask(ListIdentities.self, Empty(), by: .signedIn(session)).identities.first)
    _ = try await ask(UnlinkIdentity.self, .init(identityID: identity.id), by: .signedIn(session))
  }

  /// Whether any file of its home holds the text.
  fileprivate func keeps(_ text: String) throws -> Bool {
    try FileManager.default.subpathsOfDirectory(atPath: home.path).contains { name in
      FileManager.default.contents(atPath: "\(home.path)/\(name)")?.range(of: Data(text.utf8)) != nil
    }
  }
}
