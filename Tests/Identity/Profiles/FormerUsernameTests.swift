import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Former usernames (ID-11, ID-12)")
struct FormerUsernameTests {
  private func rename(_ identity: RunningIdentity, _ signedIn: SignedIn, to username: String) async throws -> OwnAccount {
    try await identity.ask(UpdateProfile.self, .init(username: .set(FormField(text: username))), by: .signedIn(signedIn))
  }

  private func register(_ identity: RunningIdentity, _ username: String, email: String = "eva@example.com") async throws -> String
  {
    do {
      _ = try await identity.ask(RegisterAccount.self, RunningIdentity.form(username, email: email))
      return "registered"
    } catch let failure as Failure {
      return failure.fields.map(\.code).joined(separator: " ")
    }
  }

  @Test("A former username is reserved for its owner for 30 days, and then free")
  func renamed() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "eva"] { try await identity.register(name) }
      let (ana, eva) = (try await identity.logIn(), try await identity.logIn("eva"))
      _ = try await rename(identity, ana, to: "ana.maria")
      #expect(try await register(identity, "ANA", email: "third@example.com") == "username_taken")
      let taken = try await failure { try await rename(identity, eva, to: "ana") }
      #expect(taken.fields.map(\.code) == ["username_taken"])
      // Kept is a keyed hash.
      #expect(try await identity.count("SELECT COUNT(*) FROM reserved_usernames WHERE length(username_key) = 32") == 1)

      #expect(try await rename(identity, ana, to: "ana").username.description == "ana")
      #expect(try await failure { try await rename(identity, eva, to: "ana.maria") }.code == "invalid_fields")
      _ = try await rename(identity, ana, to: "ana.maria")
      identity.time.advance(seconds: 30 * 86_400 - 1)
      let stillEva = try await identity.logIn("eva")
      #expect(try await failure { try await rename(identity, stillEva, to: "ana") }.code == "invalid_fields")
      identity.time.advance(seconds: 1)
      _ = try await rename(identity, stillEva, to: "ana")
    }
  }

  @Test("Only an account's last three usernames are reserved")
  func bounded() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      for name in ["bea", "carla", "dora", "elena"] {
        identity.time.advance(seconds: 60)
        _ = try await rename(identity, ana, to: name)
      }
      #expect(try await register(identity, "bea") == "username_taken")
      #expect(try await register(identity, "ana") == "registered")
    }
  }

  @Test("The username and former names of a deleted account are reserved for 90 days")
  func deleted() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      _ = try await rename(identity, ana, to: "bea")
      _ = try await identity.ask(
        DeleteAccount.self, .init(password: FormField(text: RunningIdentity.password)), by: .signedIn(ana))
      #expect(try await identity.count("SELECT COUNT(*) FROM reserved_usernames WHERE account_id IS NOT NULL") == 0)
      for name in ["ana", "bea"] { #expect(try await register(identity, name) == "username_taken") }
      identity.time.advance(seconds: 30 * 86_400)
      #expect(try await register(identity, "bea") == "username_taken")
      identity.time.advance(seconds: 60 * 86_400)
      #expect(try await register(identity, "bea") == "registered")
    }
  }
}
