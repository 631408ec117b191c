import IdentityContract
import InProcess
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

    @Test("A linked account can be logged in to either way; linking it again changes nothing (S 9, scenario 5)")
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

    @Test("An external identity belongs to one account, and an account has one for each provider")
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

    @Test("Linking an identity repeated with its idempotency key gives the same identity, and sends the code once")
    func repetition() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("bea")
        let bea = try await identity.logIn("bea")
        let answer = try await identity.answered(provider, linkingBy: bea)
        let linked = try await identity.ask(CompleteIdentityLink.self, answer.link, by: .signedIn(bea), key: "link")
        #expect(try await identity.ask(CompleteIdentityLink.self, answer.link, by: .signedIn(bea), key: "link") == linked)
        #expect(try await identity.securityEvents() == ["identityLinked"])
        var other = answer.link
        other.code = "other"
        let reused = try await failure {
          try await identity.ask(CompleteIdentityLink.self, other, by: .signedIn(bea), key: "link")
        }
        #expect(reused.code == "idempotency_key_reused")
        let used = try await failure { try await identity.ask(CompleteIdentityLink.self, answer.link, by: .signedIn(bea)) }
        #expect(used.code == "external_state_used")
      }
    }

    @Test("Only one of two accounts that link one person concurrently succeeds")
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
                _ = try await identity.ask(CompleteIdentityLink.self, answer.link, by: .signedIn(session))
                return "linked"
              } catch { return Failure(error).code }
            }
          }
          return await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        #expect(ends == ["identity_linked_elsewhere", "linked"])
      }
    }

    @Test("An external identity can be unlinked unless it is the last way to log in, and then no longer logs in")
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

    /// How what an intruder has linked comes to an end.
    enum End: CaseIterable, Sendable {
      case closing, changingPassword, changingPasswordAfterSecondLogin, undoingEmailChange
    }

    @Test(
      "An identity linked in an unconfirmed session ends with 'it was not me', a new password or an undone address (S 4, S 6)",
      arguments: End.allCases)
    func intruder(end: End) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("bea")
        let bea = try await identity.logIn("bea")
        identity.time.advance(seconds: 60)
        let there = Caller(kind: .anonymous, address: "192.0.2.77", userAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0")
        func breakIn() async throws -> SignedIn {
          try await identity.ask(LogIn.self, .init(login: "bea", password: RunningIdentity.password), by: there)
        }
        var intruder = try await breakIn()
        #expect(try await identity.published(LoginAlertRaised.self).map(\.level) == [.notice])
        // The second one is unlike nothing any more.
        if end == .changingPasswordAfterSecondLogin { intruder = try await breakIn() }
        _ = try await identity.link(intruder, to: provider)
        switch end {
        case .closing:
          let alert = try #require(try await identity.published(LoginAlertRaised.self).last).alertID
          _ = try await identity.ask(AnswerLoginAlert.self, .init(alertID: alert, answer: .close), by: .signedIn(bea))
        case .changingPassword, .changingPasswordAfterSecondLogin: try await Self.changePassword(identity, by: bea)
        case .undoingEmailChange:
          _ = try await identity.ask(
            RequestEmailChange.self,
            .init(
              email: FormField(text: "thief@example.com"), currentPassword: FormField(text: RunningIdentity.password)),
            by: .signedIn(intruder))
          let change = try #require(try await identity.published(EmailChangeRequested.self).last).changeID
          let token = try await identity.askAsNotifications(GetEmailChangeSecret.self, .init(changeID: change)).token
          _ = try await identity.ask(CompleteEmailChange.self, .init(token: token))
          let undo = try await identity.askAsNotifications(GetEmailChangeNotice.self, .init(changeID: change)).token
          _ = try await identity.ask(UndoEmailChange.self, .init(token: undo))
        }
        #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 0)
        #expect(try await identity.count("SELECT COUNT(*) FROM provider_grants WHERE identity_id IS NULL") == 1)
        #expect(try await identity.published(IdentityLinkChanged.self).map(\.isLinked) == [true, false])
        #expect(try await identity.logIn(by: provider).signedIn.account.id != bea.account.id)
      }
    }

    @Test(
      "An identity that its owner linked in a trusted session survives a change of the password"
    )
    func ownersLink() async throws {
      for confirms in [nil, true, false] {
        try await TestProvider.withIdentity { provider, identity in
          try await identity.register("bea")
          var (here, bea) = (try await identity.logIn("bea"), try await identity.logIn("bea"))
          if let confirms {
            let phone = Caller(kind: .anonymous, address: "192.0.2.77", userAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0")
            bea = try await identity.ask(LogIn.self, .init(login: "bea", password: RunningIdentity.password), by: phone)
            let alert = try #require(try await identity.published(LoginAlertRaised.self).last).alertID
            if confirms {
              _ = try await identity.ask(AnswerLoginAlert.self, .init(alertID: alert, answer: .confirm), by: .signedIn(here))
            } else {
              here = bea
            }
          }
          _ = try await identity.link(bea, to: provider)
          try await Self.changePassword(identity, by: here)
          #expect(try await identity.logIn(by: provider).signedIn.account.id == bea.account.id)
        }
      }
    }

    private static func changePassword(_ identity: RunningIdentity, by session: SignedIn) async throws {
      let new = FormField<Password>(text: RunningIdentity.otherPassword)
      _ = try await identity.ask(
        ChangePassword.self,
        .init(currentPassword: FormField(text: RunningIdentity.password), password: new, passwordConfirmation: new),
        by: .signedIn(session))
    }

    @Test("A session that ends while the person is at the provider links nothing")
    func endedSession() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("bea")
        let bea = try await identity.logIn("bea")
        let answer = try await identity.answered(provider, linkingBy: bea)
        _ = try await identity.ask(LogOut.self, Empty(), by: .signedIn(bea))
        let failed = try await failure { try await identity.ask(CompleteIdentityLink.self, answer.link, by: .signedIn(bea)) }
        #expect(failed.code == "session_revoked")
        #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 0)
      }
    }
  }
}
