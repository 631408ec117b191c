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

extension ExternalProviderProcesses {
  @Suite(
    "Logging in by an external provider (ID-10; S 9, T UC 04.05)",
    .enabled(if: TestProvider.python != nil, "needs the Python packages of Tests/requirements.txt"))
  struct ExternalLoginTests {
    @Test(
      "A first login by a provider creates a linked, verified account and logs in (S 9, scenarios 1 to 3; T UC 04.05)"
    )
    func firstLogin() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let output = try await identity.logIn(by: provider)
        #expect(output.isNewAccount)
        #expect(output.signedIn.account.email.description == "ana@example.com")
        #expect(output.signedIn.account.isVerified)
        #expect(output.signedIn.account.name?.description == "Ana Ruiz")
        #expect(output.signedIn.account.username.description == "ana.ruiz")
        // No verification mail for an address that needs none.
        #expect(try await identity.published(VerificationMailRequested.self).isEmpty)
        #expect(try await identity.published(AccountChanged.self).last?.isVerified == true)
        #expect(try await identity.securityEvents() == ["externalAccountCreated"])
        let listed = try await identity.ask(ListIdentities.self, Empty(), by: .signedIn(output.signedIn))
        #expect(listed.identities.map(\.provider.description) == ["corp"] && !listed.hasPassword)
        // Nothing the provider gave is kept but who it is.
        let flow = try await identity.count("SELECT COUNT(*) FROM external_logins WHERE ended_at IS NOT NULL")
        #expect(flow == 1)
      }
    }

    @Test("A first login by a provider finds a username even if every name near the person's is taken")
    func popularName() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let candidates = UsernameSuggestions.candidates(near: "Ana Ruiz", others: ["ana"])
        try await identity.store.write { transaction in
          for (index, username) in candidates.enumerated() {
            try transaction.database.execute(
              sql: """
                INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at)
                VALUES (?1, ?2, ?2, ?3, '$argon2id$', 'UTC', 'en', 1)
                """, arguments: [AccountID(), "person\(index)@example.org", username])
          }
        }
        let output = try await identity.logIn(by: provider)
        #expect(output.isNewAccount)
        let name = output.signedIn.account.username.description
        #expect(name.wholeMatch(of: /user[0-9]{12}/) != nil && !candidates.map(\.description).contains(name))
      }
    }

    @Test("The next login by a provider finds the account by issuer and subject, whatever the address is now")
    func nextLogin() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let first = try await identity.logIn(by: provider)
        try await provider.behave(#"{"person":{"sub":"person-1","email":"other@example.com","email_verified":true}}"#)
        let second = try await identity.logIn(by: provider)
        #expect(!second.isNewAccount)
        #expect(second.signedIn.account.id == first.signedIn.account.id)
        #expect(second.signedIn.session.id != first.signedIn.session.id)
        #expect(second.signedIn.account.email == first.signedIn.account.email)
        #expect(try await identity.count("SELECT COUNT(*) FROM accounts") == 1)
        // The session is one like any other.
        let refreshed = try await identity.ask(RefreshSession.self, .init(refreshToken: second.signedIn.refreshToken))
        #expect(refreshed.session.id == second.signedIn.session.id)
      }
    }

    @Test("The request to the provider has PKCE S256, state and nonce, and does not contain the client's secret")
    func request() async throws {
      try await TestProvider.withIdentity { _, identity in
        let start = try await identity.beginLogin()
        let items = try #require(URLComponents(string: start.authorizationURL)?.queryItems)
        let fields = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
        #expect(fields["response_type"] == "code" && fields["code_challenge_method"] == "S256")
        #expect(fields["scope"] == "openid email profile" && fields["redirect_uri"] == TestProvider.redirectURI)
        #expect(fields["state"] == start.state && fields["response_mode"] == nil)
        let secrets = [start.state, start.flowSecret, fields["nonce"] ?? "", fields["code_challenge"] ?? ""]
        #expect(Set(secrets).count == 4 && secrets.allSatisfy { $0.count >= 43 })
        #expect(!start.authorizationURL.contains(start.flowSecret))
        // The store has none of them.
        for file in try FileManager.default.contentsOfDirectory(atPath: identity.home.stores) {
          let bytes = try #require(FileManager.default.contents(atPath: "\(identity.home.stores)/\(file)"))
          for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
        }
      }
    }

    @Test("An address that the provider does not vouch for is verified by a mail")
    func unverified() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"person":{"sub":"p","email":"bea@example.com","email_verified":false}}"#)
        let output = try await identity.logIn(by: provider)
        #expect(output.isNewAccount && !output.signedIn.account.isVerified)
        #expect(output.signedIn.account.username.description == "bea")
        let verified = try await identity.ask(VerifyAccount.self, .init(token: try await identity.mailedToken()))
        #expect(verified.isVerified)
      }
    }

    @Test("Apple's `email_verified` as text counts")
    func verifiedAsText() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"person":{"sub":"p","email":"bea@example.com","email_verified":"true"}}"#)
        #expect(try await identity.logIn(by: provider).signedIn.account.isVerified)
      }
    }

    @Test("A taken or reserved name at the provider leads to a similar one")
    func usernames() async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await identity.register("ana.ruiz")
        #expect(try await identity.logIn(by: provider).signedIn.account.username.description == "ana.ruiz1")
        try await provider.behave(#"{"person":{"sub":"q","email":"x@example.com","name":"Admin"}}"#)
        let username = try await identity.logIn(by: provider).signedIn.account.username
        #expect(!ReservedUsernames.embedded.contains(username))
      }
    }

    @Test(
      "Without an address from the provider no account is created, and the person reads what to do",
      arguments: [#"{"sub":"p"}"#, #"{"sub":"p","email":"no address"}"#, #"{"sub":"p","email":7}"#])
    func withoutAddress(person: String) async throws {
      try await TestProvider.withIdentity { provider, identity in
        try await provider.behave(#"{"person":\#(person)}"#)
        let failure = try await failure { try await identity.logIn(by: provider) }
        #expect(failure.code == "external_email_missing" && failure.parameters["provider"] == .text("Corp"))
        #expect(try await identity.count("SELECT COUNT(*) FROM accounts") == 0)
        #expect(try await identity.lastSecurityEvent() == "externalLoginFailed: corp external_email_missing")
      }
    }

    @Test(
      "A provider's address that an account already has opens nothing, verified or not: the owner logs in and links it",
      arguments: [true, false])
    func takenAddress(isVerified: Bool) async throws {
      try await TestProvider.withIdentity { provider, identity in
        let account = try await identity.register("ana")
        try await provider.behave(#"{"person":{"sub":"p","email":"ANA@example.com","email_verified":\#(isVerified)}}"#)
        let failure = try await failure { try await identity.logIn(by: provider) }
        #expect(failure.code == "external_account_exists")
        #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 0)
        let session = try await identity.logIn()
        _ = try await identity.link(session, to: provider)
        #expect(try await identity.logIn(by: provider).signedIn.account.id == account.id)
      }
    }

    @Test("Concurrent first logins of one person by a provider create one account and all log in to it")
    func race() async throws {
      try await TestProvider.withIdentity { provider, identity in
        var answers: [Answered] = []
        for _ in 0..<8 { answers.append(try await identity.answered(provider)) }
        let outputs = try await withThrowingTaskGroup(of: CompleteExternalLogin.Output.self) { group in
          for answer in answers { group.addTask { try await identity.ask(CompleteExternalLogin.self, answer.logIn) } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(outputs.map(\.signedIn.account.id)).count == 1)
        #expect(outputs.filter(\.isNewAccount).count == 1)
        #expect(Set(outputs.map(\.signedIn.session.id)).count == 8)
        #expect(try await identity.count("SELECT COUNT(*) FROM accounts") == 1)
      }
    }

    @Test("Only one of two concurrent completions of a login flow logs in, and the other is refused")
    func twoEnds() async throws {
      try await TestProvider.withIdentity { provider, identity in
        for _ in 0..<5 {
          let answer = try await identity.answered(provider)
          let codes = await withTaskGroup(of: String.self) { group in
            for _ in 0..<4 {
              group.addTask {
                do {
                  _ = try await identity.ask(CompleteExternalLogin.self, answer.logIn)
                  return "in"
                } catch { return Failure(error).code }
              }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted()
          }
          #expect(codes == ["external_state_used", "external_state_used", "external_state_used", "in"])
        }
        #expect(try await identity.count("SELECT COUNT(*) FROM sessions") == 5)
      }
    }

    @Test("A login flow at a provider survives a restart; one ended by a crash is begun again, with nothing half done")
    func restart() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let answer = try await identity.answered(provider)
        let later = try await identity.restarted()
        #expect(try await later.ask(CompleteExternalLogin.self, answer.logIn).isNewAccount)
        // As after a crash between the end of the flow and the provider's answer.
        let second = try await later.answered(provider)
        try await later.store.write { transaction in
          try transaction.database.execute(
            sql: "UPDATE external_logins SET ended_at = ? WHERE ended_at IS NULL", arguments: [transaction.now])
        }
        let refused = try await failure { try await later.ask(CompleteExternalLogin.self, second.logIn) }
        #expect(refused.code == "external_state_used")
        #expect(try await !later.logIn(by: provider).isNewAccount)
        await later.store.close()
      }
    }

    @Test(
      "An account without a password refuses password logins, reports it when changing it, and gets one by recovery"
    )
    func withoutPassword() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let session = try await identity.logIn(by: provider).signedIn
        for password in ["", "password", RunningIdentity.password] {
          let refused = try await failure { try await identity.logIn("ana.ruiz", password.isEmpty ? " " : password) }
          #expect(refused.code == "wrong_credentials")
        }
        let change = ChangePassword.Input(
          currentPassword: "x", password: FormField(text: RunningIdentity.password),
          passwordConfirmation: FormField(text: RunningIdentity.password))
        let failed = try await failure { try await identity.ask(ChangePassword.self, change, by: .signedIn(session)) }
        #expect(failed.code == "no_password")
        try await identity.askToRecover()
        try await identity.recover(try await identity.recoveryToken())
        identity.time.advance(seconds: 7200)
        #expect(try await identity.logIn("ana.ruiz", RunningIdentity.otherPassword).account.id == session.account.id)
        // It was verified and had no password that another could have known: the link stays.
        #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 1)
      }
    }

    @Test(
      "An account without a password is changed or deleted after a provider login of the last ten minutes, and nothing else"
    )
    func freshLogin() async throws {
      try await TestProvider.withIdentity { provider, identity in
        let old = try await identity.logIn(by: provider).signedIn
        let change = RequestEmailChange.Input(email: "new@example.com")
        let deletion = DeleteAccount.Input()
        try await age(old, by: 600, identity)
        for input in [deletion, .init(password: FormField(text: RunningIdentity.password))] {
          let refused = try await failure { try await identity.ask(DeleteAccount.self, input, by: .signedIn(old)) }
          #expect(refused.code == "fresh_login_required" && refused.status == 403)
        }
        let refused = try await failure { try await identity.ask(RequestEmailChange.self, change, by: .signedIn(old)) }
        #expect(refused.code == "fresh_login_required")

        let fresh = try await identity.logIn(by: provider).signedIn
        try await age(fresh, by: 590, identity)
        #expect(
          try await identity.ask(RequestEmailChange.self, change, by: .signedIn(fresh)).email.description == "new@example.com")
        // Fields that are at fault are reported all the same.
        let wrong = try await failure {
          try await identity.ask(RequestEmailChange.self, .init(email: "new"), by: .signedIn(fresh))
        }
        #expect(wrong.fields.map(\.field) == ["email"])
        // The session that is old stays so, whatever other began since.
        #expect(
          try await failure { try await identity.ask(DeleteAccount.self, deletion, by: .signedIn(old)) }.code
            == "fresh_login_required")
        #expect(try await identity.ask(DeleteAccount.self, deletion, by: .signedIn(fresh)).deletion.state == .erasing)
        #expect(try await identity.count("SELECT COUNT(*) FROM accounts") == 0)
      }
    }

    /// Lets the session have begun so much earlier: the provider's clock is the machine's, which no test moves.
    private func age(_ signedIn: SignedIn, by seconds: Int, _ identity: RunningIdentity) async throws {
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: "UPDATE sessions SET created_at = ? WHERE session_id = ?",
          arguments: [transaction.now.adding(seconds: -seconds), signedIn.session.id])
      }
    }

    @Test("A fresh provider login is not enough for an account with a password, which is asked for")
    func freshLoginWithPassword() async throws {
      try await TestProvider.withIdentity { provider, identity in
        _ = try await identity.logIn(by: provider)
        try await identity.askToRecover()
        try await identity.recover(try await identity.recoveryToken())
        let fresh = try await identity.logIn(by: provider).signedIn
        let refused = try await failure { try await identity.ask(DeleteAccount.self, .init(), by: .signedIn(fresh)) }
        #expect(refused.fields.map(\.field) == ["password"] && refused.fields.map(\.code) == ["required"])
        let wrong = DeleteAccount.Input(password: FormField(text: RunningIdentity.password))
        #expect(
          try await failure { try await identity.ask(DeleteAccount.self, wrong, by: .signedIn(fresh)) }.code == "wrong_password")
      }
    }

    @Test("Recovering the password removes external identities that somebody else may have linked")
    func recovery() async throws {
      try await TestProvider.withIdentity { provider, identity in
        // Somebody takes an address that is not theirs, at the provider and here.
        try await provider.behave(#"{"person":{"sub":"thief","email":"owner@example.com","email_verified":false}}"#)
        _ = try await identity.logIn(by: provider)
        try await identity.askToRecover("owner@example.com")
        try await identity.recover(try await identity.recoveryToken())
        #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 0)
        #expect(try await identity.securityEvents().contains("identityUnlinked"))
        let failure = try await failure { try await identity.logIn(by: provider) }
        #expect(failure.code == "external_account_exists")
      }
    }

    @Test("The configured external providers are listed, and without any the list is empty")
    func listed() async throws {
      try await TestProvider.withIdentity { _, identity in
        let listed = try await identity.ask(ListExternalProviders.self, Empty()).providers
        #expect(listed.map { "\($0.name) \($0.title)" } == ["corp Corp"])
      }
      try await RunningIdentity.run { identity in
        #expect(try await identity.ask(ListExternalProviders.self, Empty()).providers.isEmpty)
        let failure = try await failure { try await identity.beginLogin() }
        #expect(failure.code == "unknown_external_provider")
      }
    }

    @Test("Login flows are removed a day after they can no longer be completed")
    func housekeeping() async throws {
      try await TestProvider.withIdentity { _, identity in
        _ = try await identity.beginLogin()
        let housekeeping = try await identity.housekeeping()
        identity.time.advance(seconds: 600 + 86_000)
        try await housekeeping.sweep()
        #expect(try await identity.count("SELECT COUNT(*) FROM external_logins") == 1)
        identity.time.advance(seconds: 1000)
        try await housekeeping.sweep()
        #expect(try await identity.count("SELECT COUNT(*) FROM external_logins") == 0)
      }
    }
  }
}
