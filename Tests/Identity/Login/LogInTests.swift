import Foundation
import GRDB
import IdentityContract
import InProcess
import JWTKit
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Logging in (ID-3; H CU-3, B UC2, S 3)")
struct LogInTests {
  private func fail(_ identity: RunningIdentity, _ login: String = "ana", times: Int = 1, from address: String = "192.0.2.1")
    async throws
  {
    for _ in 0..<times {
      let failure = try await failure { try await identity.logIn(login, "Wrong-1-wrong", from: address) }
      try #require(failure.code == "wrong_credentials")
    }
  }

  private func locked(_ identity: RunningIdentity, _ login: String = "ana", from address: String = "192.0.2.1") async throws
    -> Int?
  {
    let failure = try await failure { try await identity.logIn(login, from: address) }
    return failure.code == "login_locked" ? failure.retryAfterSeconds : nil
  }

  @Test(
    "Logging in works by username and by e-mail address, in any case of letters (CU-3; B UC2; S 3, scenario 1)",
    arguments: ["ana", "ANA", " ana", "ana@example.com", "Ana@EXAMPLE.com"])
  func success(login: String) async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register("ana")
      let signedIn = try await identity.logIn(login)
      #expect(signedIn.account == account)
      #expect(signedIn.session.device == "Ana's phone")
      #expect(signedIn.accessTokenExpiresAt == identity.time.now.adding(seconds: 600))
      #expect(signedIn.session.expiresAt == identity.time.now.adding(seconds: 30 * 86_400))
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(signedIn)) == account)
    }
  }

  @Test("Login fields left empty or out are all named (CU-3, 5a)", arguments: ["{}", #"{"login":"","password":""}"#])
  func required(body: String) async throws {
    try await RunningIdentity.run { identity in
      let failure = try await failure { try await identity.ask(LogIn.self, json: body) }
      #expect(failure.fields.map(\.field) == ["login", "password"])
    }
  }

  @Test(
    "A wrong password and an unknown login get the very same answer, and can be retried (CU-3, 5b; S 3, scenario 2)"
  )
  func oneAnswer() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let wrongPassword = try await failure { try await identity.logIn("ana", "Wrong-1-wrong") }
      let unknownName = try await failure { try await identity.logIn("nobody.here", "Wrong-1-wrong") }
      let unknownEmail = try await failure { try await identity.logIn("nobody@example.com", "Wrong-1-wrong") }
      let nonsense = try await failure { try await identity.logIn("???", "Wrong-1-wrong") }
      #expect(wrongPassword == unknownName && wrongPassword == unknownEmail && wrongPassword == nonsense)
      #expect(wrongPassword.code == "wrong_credentials" && wrongPassword.status == 401 && wrongPassword.parameters.isEmpty)
      #expect(try await identity.securityEvents() == ["loginFailed", "loginFailed", "loginFailed", "loginFailed"])
      _ = try await identity.logIn()
    }
  }

  @Test(
    "Five failed logins lock the account for 30 s, then longer and longer, also for the right password (S 3, scenario 7)"
  )
  func lock() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      try await fail(identity, times: 5)
      #expect(try await identity.securityEvents().last == "loginLocked")
      #expect(try await locked(identity) == 30)
      identity.time.advance(seconds: 29)
      #expect(try await locked(identity) == 1)
      for wait in [60, 120, 240, 480, 960, 1920, 3600, 3600] {
        identity.time.advance(seconds: 3600)
        try await fail(identity)
        #expect(try await locked(identity) == wait)
      }
      identity.time.advance(seconds: 3600)
      _ = try await identity.logIn()
      // A success clears what was counted.
      try await fail(identity, times: 4)
      _ = try await identity.logIn()
    }
  }

  @Test("The message of the lock offers to recover the password (S 3, scenario 7)")
  func offer() {
    let words = Words([Contract.identity.words[0]])
    #expect(words.text("failure.login_locked.suggestion", .english)?.contains("recover") == true)
    #expect(words.text("failure.login_locked", .spanish, ["seconds": .number(30)])?.contains("30 s") == true)
  }

  @Test("Attempts while an account is locked neither lengthen the lock nor are checked")
  func lockedAttempts() async throws {
    // A password costs so much to check that it shows whether one was.
    try await RunningIdentity.run(cost: HashCost(memoryBytes: 32 << 20, passes: 3)) { identity in
      try await identity.register("ana")
      let clock = ContinuousClock()
      let five = try await clock.measure { try await fail(identity, times: 5) }
      var waits: [Int?] = []
      let ten = try await clock.measure { for _ in 0..<10 { waits.append(try await locked(identity)) } }
      #expect(waits.allSatisfy { $0 == 30 })
      #expect(ten < five, "ten unchecked ones took \(ten), five checked ones \(five)")
      identity.time.advance(seconds: 30)
      _ = try await identity.logIn()
    }
  }

  @Test("All logins of an account count together, whatever their case and wherever they come from")
  func aliases() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let logins = ["ana", "ANA", "ana@example.com", "Ana@Example.Com", " ana "]
      for (index, login) in logins.enumerated() { try await fail(identity, login, from: "198.51.100.\(index)") }
      // That is not revealed, see TypedLoginTests.
      for login in ["ana", "ana@example.com"] {
        #expect(try await failure { try await identity.logIn(login, from: "203.0.113.9") }.code == "wrong_credentials")
      }
      identity.time.advance(seconds: 30)
      _ = try await identity.logIn(from: "203.0.113.9")
    }
  }

  @Test("An unknown login is locked in the same way")
  func unknownLogin() async throws {
    try await RunningIdentity.run { identity in
      try await fail(identity, "Nobody@Example.com", times: 5)
      #expect(try await locked(identity, "nobody@example.com") == 30)
    }
  }

  @Test("Failed logins to five accounts lock their address and no other, and mistyped passwords do not count")
  func address() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea", "carla", "dora", "elena", "flora"] { try await identity.register(name) }
      for name in ["bea", "carla", "dora", "elena"] { try await fail(identity, name, times: 2) }
      // Elena finds her password after all.
      _ = try await identity.logIn("elena")
      try await fail(identity, "flora")
      _ = try await identity.logIn("ana")
      try await fail(identity, "elena")
      #expect(try await locked(identity, "ana") == 30)
      _ = try await identity.logIn("ana", from: "203.0.113.9")
    }
  }

  @Test("The lock of an account outlives a restart")
  func restart() async throws {
    try await RunningIdentity.run { first in
      try await first.register("ana")
      try await fail(first, times: 5)
      let second = try await first.restarted()
      #expect(try await locked(second) == 30)
      await second.store.close()
    }
  }

  @Test("Only the allowed number of many concurrent guesses of a password are checked")
  func concurrentGuesses() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let codes = await withTaskGroup(of: String.self) { group in
        for _ in 0..<25 {
          group.addTask {
            do {
              _ = try await identity.logIn("ana", "Wrong-1-wrong")
              return "in"
            } catch { return (error as? Failure)?.code ?? "\(error)" }
          }
        }
        return await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(codes.filter { $0 == "wrong_credentials" }.count == 5)
      #expect(codes.filter { $0 == "login_locked" }.count == 20)
    }
  }

  @Test("A password hash with an older cost is renewed at the next login")
  func renewal() async throws {
    try await RunningIdentity.run(cost: HashCost(memoryBytes: 128 << 10, passes: 2)) { identity in
      try await identity.register("ana")
      let cheap = try await PasswordHasher(cost: HashCost(memoryBytes: 64 << 10, passes: 1)).hash(
        Password(text: RunningIdentity.password))
      try await identity.store.write {
        try $0.database.execute(sql: "UPDATE accounts SET password_hash = ?", arguments: [cheap.text])
      }
      _ = try await identity.logIn()
      #expect(try await identity.count("SELECT COUNT(*) FROM accounts WHERE password_hash LIKE '%m=128,t=2%'") == 1)
      _ = try await identity.logIn()
    }
  }
}
