import IdentityContract
import Operations
import Testing

@testable import IdentityService

extension ExternalProviderProcesses {
  @Suite(
    "Linking and unlinking external identities (ID-10; S 9, scenario 5)",
    .enabled(if: TestProvider.python != nil, "needs the Python packages of Tests/requirements.txt"))
  struct LinkTests {
    private static func unlink(_ identity: RunningIdentity, _ id: ExternalIdentityID, by session: SignedIn) async throws {
      _ = try await identity.ask(UnlinkIdentity.self, .init(identityID: id), by: .signedIn(session))
    }

    @Test("an account is linked and can be logged in to either way; linking it again changes nothing (S 9, scenario 5)")
    func linking() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("bea")
        let bea = try await identity.logIn("bea")
        let linked = try await identity.link(bea, to: provider)
        #expect(linked.provider.description == "corp" && linked.lastUsedAt == nil)
        #expect(try await identity.securityEvents() == ["identityLinked"])
        #expect(try await identity.link(bea, to: provider) == linked)
        // The address at the provider is another, and does not matter.
        #expect(try await identity.logIn(by: provider).signedIn.account.id == bea.account.id)
        #expect(try await identity.logIn("bea").account.id == bea.account.id)
        let listed = try await identity.ask(ListIdentities.self, Empty(), by: .signedIn(bea))
        #expect(listed.identities.map(\.id) == [linked.id] && listed.hasPassword)
        #expect(listed.identities[0].lastUsedAt != nil)
      }
    }

    @Test("an identity belongs to one account, and an account has one of each provider")
    func oneEach() async throws {
      try await TestProvider.withIdentity { provider, identity in
        for name in ["bea", "carla"] { try await identity.register(name) }
        let (bea, carla) = (try await identity.logIn("bea"), try await identity.logIn("carla"))
        _ = try await identity.link(bea, to: provider)
        let taken = try await failure { try await identity.link(carla, to: provider) }
        #expect(taken.code == "identity_linked_elsewhere" && taken.parameters["provider"] == .text("Corp"))
        try await provider.behave(#"{"person":{"sub":"person-2"}}"#)
        let second = try await failure { try await identity.link(bea, to: provider) }
        #expect(second.code == "external_provider_linked_already")
        _ = try await identity.link(carla, to: provider)
      }
    }

    @Test("of two accounts linking one person at the same time one is linked")
    func race() async throws {
      try await TestProvider.withIdentity { provider, identity in
        for name in ["bea", "carla"] { try await identity.register(name) }
        var flows: [(SignedIn, Answered)] = []
        for name in ["bea", "carla"] {
          let session = try await identity.logIn(name)
          flows.append((session, try await identity.answered(provider, linkingBy: session)))
        }
        let ends = await withTaskGroup(of: String.self) { group in
          for (session, answer) in flows {
            group.addTask {
              do {
                _ = try await identity.ask(LinkIdentity.self, answer.link, by: .signedIn(session))
                return "linked"
              } catch { return Failure(error).code }
            }
          }
          return await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        #expect(ends == ["identity_linked_elsewhere", "linked"])
      }
    }

    @Test("an identity is unlinked unless it is the last way in, and then logs in no more")
    func unlinking() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("bea")
        let bea = try await identity.logIn("bea")
        let linked = try await identity.link(bea, to: provider)
        try await identity.register("carla")
        let carla = try await identity.logIn("carla")
        let foreign = try await failure { try await Self.unlink(identity, linked.id, by: carla) }
        #expect(foreign.code == "not_found")
        try await Self.unlink(identity, linked.id, by: bea)
        #expect(try await identity.securityEvents().last == "identityUnlinked")
        // The person is nobody's now: another account comes of it.
        let other = try await identity.logIn(by: provider)
        #expect(other.isNewAccount && other.signedIn.account.id != bea.account.id)

        let only = try await identity.ask(ListIdentities.self, Empty(), by: .signedIn(other.signedIn)).identities[0].id
        let last = try await failure { try await Self.unlink(identity, only, by: other.signedIn) }
        #expect(last.code == "identity_is_last_way_in")
        #expect(try await !identity.logIn(by: provider).isNewAccount)
      }
    }

    @Test("a session that ends while the person is at the provider links nothing")
    func endedSession() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("bea")
        let bea = try await identity.logIn("bea")
        let answer = try await identity.answered(provider, linkingBy: bea)
        _ = try await identity.ask(LogOut.self, Empty(), by: .signedIn(bea))
        let failed = try await failure { try await identity.ask(LinkIdentity.self, answer.link, by: .signedIn(bea)) }
        #expect(failed.code == "session_revoked")
        #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 0)
      }
    }
  }
}
