import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("The profile (ID-11; H CU-5, CU-6; B UC14)")
struct ProfileTests {
  private func edit(
    _ identity: RunningIdentity, _ signedIn: SignedIn, _ username: String, nickname: String? = nil, name: String? = nil,
    age: Int? = nil
  ) async throws -> OwnAccount {
    let input = UpdateProfile.Input(
      username: .set(FormField(text: username)), nickname: .set(nickname.map { FormField(text: $0) }),
      name: .set(name.map { FormField(text: $0) }), age: .set(age))
    return try await identity.ask(UpdateProfile.self, input, by: .signedIn(signedIn))
  }

  private func fields(_ failure: Failure) -> [String] { failure.fields.map { "\($0.field) \($0.code)" } }

  @Test("The profile shows photo, username, nickname, e-mail address, joining date, name and age (CU-5)")
  func shows() async throws {
    try await RunningIdentity.run { identity in
      let joined = identity.time.now
      let account = try await identity.register()
      let own = try await identity.logIn()
      _ = try await edit(identity, own, "ana", nickname: "Anita", name: "Ana Ruiz", age: 34)
      let shown = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(own))
      #expect(shown.username.description == "ana" && shown.nickname?.description == "Anita")
      #expect(shown.name?.description == "Ana Ruiz" && shown.age == 34)
      #expect(shown.email == account.email && shown.createdAt == joined && shown.photoTag == nil)
    }
  }

  @Test("A changed profile is published; fields that are null or empty are removed (CU-6, UC14)")
  func edits() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let first = try await edit(identity, own, "Ana.Ruiz", nickname: " Anita ", name: "Ana Ruiz", age: 34)
      #expect(first.username.description == "ana.ruiz" && first.nickname?.description == "Anita")
      var published = try #require(try await identity.published(AccountChanged.self).last)
      #expect(published.username == first.username && published.nickname == first.nickname && published.revision == 2)

      let second = try await edit(identity, own, "ana.ruiz", nickname: "")
      #expect(second.nickname == nil && second.name == nil && second.age == nil)
      published = try #require(try await identity.published(AccountChanged.self).last)
      #expect(published.nickname == nil && published.revision == 3)
      // The same again changes nothing and notifies nobody.
      #expect(try await edit(identity, own, "ana.ruiz") == second)
      #expect(try await identity.published(AccountChanged.self).count == 3)
      #expect(try await identity.securityEvents() == ["usernameChanged"])

      _ = try await identity.logIn("ana.ruiz")
      #expect(try await failure { try await identity.logIn("ana") }.code == "wrong_credentials")
    }
  }

  @Test("A change keeps the fields that it leaves out, and null removes one alone")
  func parts() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let whole = try await edit(identity, own, "ana", nickname: "Anita", name: "Ana Ruiz", age: 34)
      #expect(try await identity.ask(UpdateProfile.self, json: "{}", by: .signedIn(own)) == whole)
      #expect(try await identity.published(AccountChanged.self).count == 2)
      let older = try await identity.ask(UpdateProfile.self, json: #"{"age":35}"#, by: .signedIn(own))
      #expect(older.age == 35 && older.nickname == whole.nickname && older.name == whole.name)
      let unnamed = try await identity.ask(UpdateProfile.self, json: #"{"name":null}"#, by: .signedIn(own))
      #expect(unnamed.name == nil && unnamed.age == 35 && unnamed.username == whole.username)
    }
  }

  @Test("A username that another account has is refused whatever its case, with free ones like it")
  func taken() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea"] { try await identity.register(name) }
      let own = try await identity.logIn("bea")
      let refused = try await failure { try await edit(identity, own, "ANA") }
      #expect(fields(refused) == ["username username_taken"])
      guard case .text(let suggestions) = refused.fields[0].parameters["suggestions"] else {
        Issue.record("no suggestions")
        return
      }
      for suggestion in suggestions.split(separator: ", ") {
        #expect(suggestion.hasPrefix("ana"))
        _ = try await edit(identity, own, String(suggestion))
      }
    }
  }

  @Test("Only one of two concurrent changes to one username succeeds")
  func race() async throws {
    try await RunningIdentity.run { identity in
      var people: [SignedIn] = []
      for name in ["ana", "bea", "carla", "dora"] {
        try await identity.register(name)
        people.append(try await identity.logIn(name))
      }
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for person in people {
          group.addTask {
            do {
              return try await edit(identity, person, "zoe").username.description == "zoe"
            } catch {
              return false
            }
          }
        }
        return await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(outcomes.filter { $0 }.count == 1)
      #expect(try await identity.count("SELECT COUNT(*) FROM accounts WHERE username = 'zoe'") == 1)
    }
  }

  @Test("Usernames of system operators are refused, but an account keeps one that became reserved later")
  func reserved() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      #expect(fields(try await failure { try await edit(identity, own, "r_o_o_t") }) == ["username reserved"])
      try await identity.store.write { try $0.database.execute(sql: "UPDATE accounts SET username = 'admin'") }
      #expect(try await edit(identity, own, "admin", nickname: "A").nickname?.description == "A")
    }
  }

  @Test("All faults of a profile are named at once, and nothing is changed")
  func faults() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let refused = try await failure {
        try await edit(
          identity, own, "a", nickname: String(repeating: "n", count: 31), name: String(repeating: "n", count: 81), age: 12)
      }
      #expect(
        fields(refused) == ["username unacceptable_username", "nickname too_long", "name too_long", "age impossible_age"])
      for (body, expected) in [
        (#"{"username":""}"#, "username required"), (#"{"username":null,"nickname":null}"#, "username null"),
      ] {
        let refused = try await failure { try await identity.ask(UpdateProfile.self, json: body, by: .signedIn(own)) }
        #expect(fields(refused) == [expected])
      }
      let unknown = try await failure {
        try await identity.ask(UpdateProfile.self, json: #"{"username":"a","email":"b@example.com"}"#, by: .signedIn(own))
      }
      #expect(fields(unknown) == ["username unacceptable_username", "email unknown_field"])
      #expect(try await identity.published(AccountChanged.self).count == 1)
    }
  }
}

@Suite("Access to one's own profile (ID-11)")
struct ProfileAccessTests {
  /// Everything that an account asks for about itself.
  private static let asked: [@Sendable (RunningIdentity, Caller) async throws -> Void] = [
    { _ = try await $0.ask(UpdateProfile.self, .init(username: .set("ana")), by: $1) },
    { _ = try await $0.ask(PutPhoto.self, .init(content: Base64Bytes(try Portrait.png())), by: $1) },
    { _ = try await $0.ask(GetOwnPhoto.self, .init(), by: $1) },
    { _ = try await $0.ask(GetPhoto.self, .init(accountID: $1.account ?? AccountID()), by: $1) },
    { _ = try await $0.ask(DeletePhoto.self, .init(), by: $1) },
    { _ = try await $0.ask(CreatePublicLink.self, .init(), by: $1) },
    { _ = try await $0.ask(GetPublicLink.self, .init(), by: $1) },
    { _ = try await $0.ask(RevokePublicLink.self, .init(), by: $1) },
    {
      let password = FormField<Password>(text: RunningIdentity.password)
      _ = try await $0.ask(RequestEmailChange.self, .init(email: "new@example.com", currentPassword: password), by: $1)
    },
  ]

  @Test("A profile is refused to strangers, ended sessions and personal access tokens", arguments: asked.indices)
  func refused(index: Int) async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let own = try await identity.logIn()
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(own))
      let ask = Self.asked[index]
      #expect(try await failure { try await ask(identity, .person()) }.code == "unauthenticated")
      #expect(try await failure { try await ask(identity, .signedIn(own)) }.code == "session_revoked")
      // A personal access token speaks for an account, but is no session.
      let token = Caller(kind: .account, account: account.id, isVerified: true)
      #expect(try await failure { try await ask(identity, token) }.code == "unauthenticated")
    }
  }

  @Test("An account with an unverified address can do everything with its profile")
  func unverified() async throws {
    try await RunningIdentity.run { identity in
      #expect(try await !identity.register().isVerified)
      let own = try await identity.logIn()
      for ask in Self.asked { try await ask(identity, .signedIn(own)) }
    }
  }
}
