import Crypto
import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Personal access tokens: creating, listing, revoking, identifying (ID-18)")
struct PersonalAccessTokenTests {
  private func create(
    _ identity: RunningIdentity, by signedIn: SignedIn, _ name: String = "Uploader", _ scopes: [AccessScope] = [.activityWrite],
    expiresIn seconds: Int? = nil
  ) async throws -> CreatePersonalAccessToken.Output {
    let input = CreatePersonalAccessToken.Input(
      name: try PersonalAccessTokenName(text: name), scopes: scopes,
      expiresAt: seconds.map { identity.time.now.adding(seconds: $0) })
    return try await identity.ask(CreatePersonalAccessToken.self, input, by: .signedIn(signedIn))
  }

  private func identify(_ identity: RunningIdentity, _ secret: String) async throws -> IdentifyPersonalAccessToken.Output {
    try await identity.ask(IdentifyPersonalAccessToken.self, .init(hash: .of(secret)), by: .service(.gateway))
  }

  private func list(_ identity: RunningIdentity, by signedIn: SignedIn) async throws -> [PersonalAccessToken] {
    try await identity.ask(ListPersonalAccessTokens.self, .init(), by: .signedIn(signedIn)).items
  }

  @Test("A personal access token's secret is shown once, identifies its account, and is nowhere in the store")
  func once() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      let made = try await create(identity, by: signedIn, "  Uploader ", [.activityWrite, .activityRead, .activityWrite])
      #expect(PersonalAccessTokenForm.isMet(by: made.secret))
      #expect(made.token.name.description == "Uploader")
      #expect(made.token.scopes == [.activityRead, .activityWrite])
      #expect(made.token.lastUsedAt == nil && made.token.expiresAt == nil)
      #expect(try await list(identity, by: signedIn) == [made.token])
      let found = try await identify(identity, made.secret)
      #expect(found.tokenID == made.token.id && found.accountID == signedIn.account.id)
      #expect(found.scopes == [.activityRead, .activityWrite])
      #expect(!found.isVerified && found.language == .english && found.expiresAt == nil)
      #expect(try await identity.securityEvents() == ["personalAccessTokenCreated"])
      // Not even a request that is to be repeatable leaves it behind.
      _ = try await identity.ask(
        CreatePersonalAccessToken.self, .init(name: try PersonalAccessTokenName(text: "Again"), scopes: [.socialRead]),
        by: .signedIn(signedIn), key: "k1")
      #expect(try await identity.count("SELECT COUNT(*) FROM idempotency_records") == 0)
      let secret = Array(made.secret.utf8.dropFirst(10))
      for name in try FileManager.default.contentsOfDirectory(atPath: identity.home.stores) {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(identity.home.stores)/\(name)"))
        #expect(bytes.range(of: Data(secret)) == nil, "\(name)")
      }
    }
  }

  @Test("All faults of a new personal access token are reported at once, and an account has at most fifty")
  func refusals() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      let first = try await create(identity, by: signedIn)
      let wrong = try await failure { try await create(identity, by: signedIn, expiresIn: 367 * 86_400) }
      #expect(wrong.fields.map { "\($0.field) \($0.code)" } == ["name token_name_taken", "expiresAt expires_too_late"])
      let none = try await failure { try await create(identity, by: signedIn, "Empty", []) }
      #expect(none.fields.map { "\($0.field) \($0.code)" } == ["scopes wrong_count"])
      let unknown = try await failure {
        try await identity.ask(
          CreatePersonalAccessToken.self, json: #"{"name":"x","scopes":["identity:write"]}"#, by: .signedIn(signedIn))
      }
      #expect(unknown.fields.map(\.code) == ["not_a_choice"])
      // What the store alone knows is reported beside what is wrong with the document.
      let late = identity.time.now.adding(seconds: 400 * 86_400)
      for (body, expected) in [
        (
          #"{"name":"Uploader","scopes":["identity:write"],"expiresAt":"\#(late)"}"#,
          ["expires_too_late", "not_a_choice", "token_name_taken"]
        ),
        (
          #"{"name":"","scopes":[],"expiresAt":"2020-01-01T00:00:00.000Z","colour":1}"#,
          ["empty", "expires_in_the_past", "unknown_field", "wrong_count"]
        ),
        (#"{"scopes":"all","expiresAt":7}"#, ["not_a_string", "not_an_array", "required"]),
        // Who means to have it for ever says so by leaving it out.
        (#"{"name":"For ever","scopes":["activity:read"],"expiresAt":null}"#, ["null"]),
      ] {
        let found = try await failure {
          try await identity.ask(CreatePersonalAccessToken.self, json: body, by: .signedIn(signedIn))
        }
        #expect(found.fields.map(\.code).sorted() == expected)
      }
      for number in 2...50 { _ = try await create(identity, by: signedIn, "Script \(number)") }
      let full = try await failure { try await create(identity, by: signedIn, "One more") }
      #expect(full.code == "too_many_personal_access_tokens" && full.status == 409)
      _ = try await identity.ask(RevokePersonalAccessToken.self, .init(tokenID: first.token.id), by: .signedIn(signedIn))
      // The name is free again too.
      _ = try await create(identity, by: signedIn)
    }
  }

  @Test("A revoked personal access token no longer works, leaves the list, and every gateway is notified once")
  func revoking() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      let (made, other) = (try await create(identity, by: signedIn), try await create(identity, by: signedIn, "Other"))
      for _ in 0..<2 {
        _ = try await identity.ask(RevokePersonalAccessToken.self, .init(tokenID: made.token.id), by: .signedIn(signedIn))
      }
      #expect(
        try await identity.published(PersonalAccessTokenRevoked.self) == [
          PersonalAccessTokenRevoked(tokenID: made.token.id, accountID: signedIn.account.id, at: identity.time.now)
        ])
      #expect(try await identity.securityEvents().last == "personalAccessTokenRevoked")
      #expect(try await list(identity, by: signedIn) == [other.token])
      #expect(try await failure { try await identify(identity, made.secret) }.code == "unauthenticated")
      #expect(try await identify(identity, other.secret).tokenID == other.token.id)
      // A gateway that comes late learns of it from the snapshot.
      var published: [String] = []
      var key: String?
      repeat {
        let page = try await identity.store.log.snapshot(after: key)
        published += page.events.map(\.name)
        key = page.nextKey
      } while key != nil
      #expect(published.last == "personalAccessTokens.revoked")
    }
  }

  @Test("A personal access token works until it expires and stays listed for a month; an unknown one is refused")
  func expiry() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let made = try await create(identity, by: try await identity.logIn(), expiresIn: 86_400)
      identity.time.advance(seconds: 86_399)
      #expect(try await identify(identity, made.secret).expiresAt == made.token.expiresAt)
      identity.time.advance(seconds: 1)
      #expect(try await failure { try await identify(identity, made.secret) }.code == "token_expired")
      #expect(try await failure { try await identify(identity, "racha_pat_x") }.code == "unauthenticated")
      let housekeeping = try await identity.housekeeping()
      try await housekeeping.sweep()
      #expect(try await list(identity, by: try await identity.logIn()).map(\.id) == [made.token.id])
      identity.time.advance(seconds: 30 * 86_400 + 1)
      try await housekeeping.sweep()
      #expect(try await list(identity, by: try await identity.logIn()).isEmpty)
      #expect(try await identity.count("SELECT COUNT(*) FROM personal_access_tokens") == 0)
    }
  }

  @Test("The last use of a personal access token is recorded at most once in five minutes")
  func lastUse() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      let made = try await create(identity, by: signedIn)
      let start = identity.time.now
      for (seconds, noted) in [(0, 0), (200, 0), (99, 0), (1, 300)] {
        identity.time.advance(seconds: seconds)
        _ = try await identify(identity, made.secret)
        #expect(try await list(identity, by: signedIn).first?.lastUsedAt == start.adding(seconds: noted))
      }
    }
  }

  @Test(
    "A new personal access token is published with its name and scopes for a mail to its owner, and without its secret"
  )
  func published() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      let made = try await create(identity, by: signedIn, "Uploader", [.activityWrite, .rewardsRead], expiresIn: 3600)
      let published = try await identity.published(PersonalAccessTokenCreated.self)
      #expect(
        published == [
          PersonalAccessTokenCreated(tokenID: made.token.id, accountID: signedIn.account.id, at: identity.time.now)
        ])
      func notice(_ id: PersonalAccessTokenID) async throws -> GetPersonalAccessTokenNotice.Output {
        try await identity.askAsNotifications(GetPersonalAccessTokenNotice.self, .init(tokenID: id))
      }
      let found = try await notice(made.token.id)
      #expect(found.token == made.token && found.email.description == "ana@example.com" && found.language == .english)
      #expect(found.username == signedIn.account.username)
      #expect(!String(decoding: found.json, as: UTF8.self).contains(made.secret))
      // Whoever makes one and revokes it at once keeps nothing from its owner.
      _ = try await identity.ask(RevokePersonalAccessToken.self, .init(tokenID: made.token.id), by: .signedIn(signedIn))
      #expect(try await notice(made.token.id).token.id == made.token.id)
      #expect(try await failure { try await notice(ID()) }.code == "not_found")
      let asked = try await failure {
        try await identity.ask(GetPersonalAccessTokenNotice.self, .init(tokenID: made.token.id), by: .signedIn(signedIn))
      }
      #expect(asked.status == 403)
      // What is refused is not published.
      _ = try await create(identity, by: signedIn)
      _ = try await failure { try await create(identity, by: signedIn) }
      #expect(try await identity.published(PersonalAccessTokenCreated.self).count == 2)
    }
  }

  @Test("Nobody can list, create or revoke another account's tokens, and only the gateway can identify them")
  func strangers() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      try await identity.register("bea")
      let (ana, bea) = (try await identity.logIn("ana"), try await identity.logIn("bea"))
      let made = try await create(identity, by: bea)
      #expect(try await list(identity, by: ana).isEmpty)
      for id in [made.token.id, PersonalAccessTokenID()] {
        let refused = try await failure {
          try await identity.ask(RevokePersonalAccessToken.self, .init(tokenID: id), by: .signedIn(ana))
        }
        #expect(refused.code == "not_found" && refused.status == 404)
      }
      #expect(try await identify(identity, made.secret).accountID == bea.account.id)
      // The same name is nobody else's business.
      _ = try await create(identity, by: ana)
      #expect(try await failure { try await identity.ask(ListPersonalAccessTokens.self, .init()) }.code == "unauthenticated")
      let asked = try await failure {
        try await identity.ask(IdentifyPersonalAccessToken.self, .init(hash: .of(made.secret)), by: .signedIn(bea))
      }
      #expect(asked.status == 403)
      let other = try await failure {
        try await identity.askAsNotifications(IdentifyPersonalAccessToken.self, .init(hash: .of(made.secret)))
      }
      #expect(other.status == 403)
    }
  }

  @Test("Neither a closed session nor a personal access token can list, create or revoke tokens")
  func sessionsOnly() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      let made = try await create(identity, by: signedIn)
      let closed = try await identity.logIn()
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(closed))
      let token = Caller(kind: .account, account: signedIn.account.id)
      for (caller, code) in [(Caller.signedIn(closed), "session_revoked"), (token, "unauthenticated")] {
        let codes = [
          try await failure { try await identity.ask(ListPersonalAccessTokens.self, .init(), by: caller) }.code,
          try await failure {
            try await identity.ask(RevokePersonalAccessToken.self, .init(tokenID: made.token.id), by: caller)
          }.code,
          try await failure {
            let name = try PersonalAccessTokenName(text: "Another")
            return try await identity.ask(CreatePersonalAccessToken.self, .init(name: name, scopes: [.socialRead]), by: caller)
          }.code,
        ]
        #expect(codes == [code, code, code])
      }
      #expect(try await list(identity, by: signedIn) == [made.token])
    }
  }

  /// What it takes to list an account's tokens after so many were revoked.
  private func steps(revoked count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      let account = try await identity.register().id
      let signedIn = try await identity.logIn()
      for name in ["one", "two"] { _ = try await create(identity, by: signedIn, name) }
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO personal_access_tokens (token_id, account_id, name, token_hash, scopes, created_at, revoked_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'one', randomblob(32), 'activity:read', 0, 1 FROM n
            """)
      }
      let find: @Sendable (Database) throws -> [PersonalAccessTokenName] = {
        try PersonalAccessTokenStore.list(of: account, before: nil, limit: 50, in: $0).map(\.name)
      }
      #expect(try await identity.store.read(find).map(\.description) == ["two", "one"])
      return try await identity.store.effort { _ = try find($0) }.steps
    }
  }

  @Test("Tokens are listed as quickly, however many were revoked")
  func effort() async throws {
    let (few, many) = (try await steps(revoked: 10), try await steps(revoked: 5000))
    #expect(many <= few + 2, "\(few), \(many)")
  }
}
