import EarlierStores
import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

extension ExternalProviderProcesses {
  @Suite(
    "Keeping grants of providers (ID-10, ID-12, ID-16)",
    .enabled(if: TestProvider.python != nil, "needs the Python packages of Tests/requirements.txt"))
  struct ProviderGrantTests {
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
      "A grant's token is stored sealed and nowhere else, and the grant is revoked when the identity is unlinked",
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
        #expect(try await identity.count(RunningIdentity.waitingGrants) == 1)
        for _ in 0..<2 { try await worker.sendDue() }
        let published = TestProvider.Revocation(token: grant.refresh_token, hint: "refresh_token", proof: proof.rawValue)
        #expect(try await provider.revocations() == [published])
        #expect(try await provider.count("/revoke") == 1)
        #expect(try await identity.grants() == [0, 0])
        #expect(try await identity.securityEvents() == ["identityLinked", "identityUnlinked"])
      }
    }

    @Test(
      "Deleting an account revokes its grants; until then nothing says whose they were, and then nothing remains")
    func deletion() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let (bea, linked) = try await identity.linked(to: provider)
        #expect(try identity.keeps("person-1"))
        let input = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
        _ = try await identity.ask(DeleteAccount.self, input, by: .signedIn(bea))
        #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 0)
        #expect(try await identity.count(RunningIdentity.waitingGrants) == 1)
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
        try await identity.store.clean()
        #expect(try !identity.keeps("person-1"))
      }
    }

    @Test(
      "A later login's grant replaces the older one, except that an access token never replaces a refresh token",
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
        let published = TestProvider.Revocation(token: grant.refresh_token ?? grant.access_token, hint: hint, proof: "header")
        #expect(try await provider.revocations() == [published])
      }
    }

    @Test("A grant being revoked is no longer kept for an identity")
    func late() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let (bea, linked) = try await identity.linked(to: provider)
        let secrets = identity.secretStorage
        let held = try await identity.store.write {
          try ProviderGrantStore.hold(
            ProviderToken(kind: .refresh, text: "late"), of: linked.provider, provider.issuer, in: secrets, $0)
        }
        let id = try #require(held)
        identity.time.advance(seconds: ProviderRevocationRules.heldSeconds)
        try await identity.store.write { transaction in
          #expect(try ProviderGrantStore.takeOn(id, in: secrets, transaction)?.token.text == "late")
          let identities = try ExternalIdentityStore.list(of: bea.account.id, in: transaction.database)
          try ProviderGrantStore.keep(id, of: identities[0], transaction)
        }
        #expect(try await identity.count(RunningIdentity.waitingGrants) == 1)
        #expect(try await identity.grants() == [2, 2])
      }
    }

    @Test("The grant of a login that creates an account is kept, too")
    func newAccount() async throws {
      try await TestProvider.withIdentity { provider, identity in
        _ = try await identity.logIn(by: provider)
        #expect(try await identity.grants() == [1, 1])
      }
    }

    @Test(
      "No grant of a provider without a usable revocation endpoint is kept",
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

    @Test("If no key can be used, the login continues without keeping its grant, and that is recorded")
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

    @Test("Grants are sealed again when the key is rotated; one without its key waits, and a damaged one is dropped")
    func rotation() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let worker = try await identity.revocations(provider.settings)
        let keys = identity.home.keys
        _ = try await identity.linked(to: provider)
        _ = try identity.home.secret("secrets-2")
        try await SecretRotationWorker(store: identity.store, storage: identity.secretStorage).renewAll()
        try FileManager.default.removeItem(atPath: "\(keys)/secrets-1")
        try await identity.unlink("bea")
        try FileManager.default.moveItem(atPath: "\(keys)/secrets-2", toPath: "\(keys)/away")
        try await worker.sendDue()
        #expect(try await identity.count(RunningIdentity.waitingGrants) == 1)
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

@Suite("Identities of earlier stores, before grants were kept (ID-10)")
struct ProviderGrantSchemaTests {
  @Test(
    "Identities of earlier stores have no grants and are removed as before; later logins' grants are kept from then on"
  )
  func upgrade() async throws {
    let account = AccountID()
    try await UpgradedStore.upgrading(.identity, RunningIdentity.migrations(), before: 26) { transaction in
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
        let identities = try ExternalIdentityStore.list(of: account, in: transaction.database)
        #expect(identities.count == 2)
        try transaction.database.execute(
          sql: """
            INSERT INTO provider_grants (grant_id, identity_id, provider, issuer, token_kind)
            VALUES (?, ?, 'one', 'https://a.example', 'refresh_token')
            """, arguments: [ProviderGrantID(), identities[0].id])
        #expect(try ProviderGrantStore.due(now: transaction.now, ofEach: 9, in: transaction.database).isEmpty)
        for identity in identities { try ExternalIdentityStore.unlink(identity, .service(.identity), transaction) }
      }
      let due = try await store.read { try ProviderGrantStore.due(now: Instant(milliseconds: 0), ofEach: 9, in: $0) }
      #expect(due.map(\.provider) == ["one"])
    }
  }

  @Test("Access tokens of earlier stores, whose expiry is unknown, are revoked at the provider")
  func ends() async throws {
    try await UpgradedStore.upgrading(.identity, RunningIdentity.migrations(), before: 27) { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO provider_grants (grant_id, provider, issuer, token_kind)
          VALUES (?, 'one', 'https://a.example', 'access_token')
          """, arguments: [ProviderGrantID()])
    } check: { store in
      let due = try await store.read { try ProviderGrantStore.due(now: Instant(milliseconds: 0), ofEach: 9, in: $0) }
      #expect(due.map(\.provider) == ["one"])
      let ends = try await store.read { try Int?.fetchAll($0, sql: "SELECT ends_at FROM provider_grants") }
      #expect(ends == [nil])
    }
  }
}
