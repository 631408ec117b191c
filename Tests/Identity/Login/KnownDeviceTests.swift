import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Logging in from a known device (ID-3)")
struct KnownDeviceTests {
  private let attacker = "203.0.113.9"

  private func logIn(
    _ identity: RunningIdentity, _ token: String?, _ password: String = RunningIdentity.password, login: String = "ana",
    from address: String = "192.0.2.1"
  ) async throws -> SignedIn {
    try await identity.ask(
      LogIn.self, .init(login: login, password: password, deviceToken: token), by: .person(from: address))
  }

  private func code(
    _ identity: RunningIdentity, _ token: String?, _ password: String = RunningIdentity.password, login: String = "ana",
    from address: String = "192.0.2.1"
  ) async throws -> String {
    do {
      _ = try await logIn(identity, token, password, login: login, from: address)
      return "in"
    } catch let failure as Failure {
      return failure.code
    }
  }

  @Test("An attacker who guesses a known username for days delays everybody but the owner's device")
  func attack() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let token = try #require(try await logIn(identity, nil).deviceToken)
      for hour in 0..<48 {
        try await identity.guess(times: 6, from: "203.0.113.\(hour)")
        #expect(try await code(identity, nil) == "login_locked")
        let signedIn = try await logIn(identity, token)
        #expect(signedIn.deviceToken == token)
        // The success gives the attacker no fresh guesses.
        #expect(try await identity.guess(from: attacker) == ["login_locked"])
        identity.time.advance(seconds: 3600)
      }
    }
  }

  @Test("An address from which others are guessed, such as a company's, does not delay a known device")
  func sharedAddress() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea", "carla", "dora", "elena", "flora"] { try await identity.register(name) }
      let token = try await logIn(identity, nil).deviceToken
      for name in ["bea", "carla", "dora", "elena", "flora"] { try await identity.guess(name) }
      #expect(try await code(identity, nil) == "login_locked")
      #expect(try await code(identity, token) == "in")
    }
  }

  @Test("A known device has its own counter under the same rule, and a stolen device token gives no more")
  func ownCounter() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let token = try await logIn(identity, nil).deviceToken
      #expect(try await identity.guess(times: 6, from: attacker).last == "login_locked")
      var codes: [String] = []
      for index in 0..<10 { codes.append(try await code(identity, token, "Wrong-1-wrong", from: "198.51.100.\(index)")) }
      #expect(codes == Array(repeating: "wrong_credentials", count: 5) + Array(repeating: "login_locked", count: 5))
      // From elsewhere, at the same time, in vain, too; so is the right password.
      #expect(try await code(identity, token, from: "198.51.100.77") == "login_locked")
      for wait in [30, 60, 120] {
        identity.time.advance(seconds: wait)
        #expect(try await code(identity, token, "Wrong-1-wrong") == "wrong_credentials")
        #expect(try await code(identity, token) == "login_locked")
      }
      #expect(try await identity.securityEvents().filter { $0 == "loginLocked" }.count == 5)
      // The other way has not gained anything by it.
      identity.time.advance(seconds: 240)
      #expect(try await identity.guess(times: 2, from: attacker) == ["wrong_credentials", "login_locked"])
      #expect(try await code(identity, token) == "in")
    }
  }

  @Test("Only the allowed number of many concurrent guesses with a known device's token are checked")
  func concurrentGuesses() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let token = try await logIn(identity, nil).deviceToken
      let codes = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<20 { group.addTask { try await code(identity, token, "Wrong-1-wrong") } }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(codes.filter { $0 == "wrong_credentials" }.count == 5)
    }
  }

  @Test("A forged, foreign or old device token counts as none, and the next login gives a new one")
  func noToken() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "eva"] { try await identity.register(name) }
      let own = try #require(try await logIn(identity, nil).deviceToken)
      let others = try await logIn(identity, nil, login: "eva").deviceToken
      try await identity.guess(times: 5, from: attacker)
      var forged = Array(own)
      forged[7] = forged[7] == "A" ? "B" : "A"
      for token in [others, String(forged), "x", DeviceToken().text] {
        #expect(try await code(identity, token, "Wrong-1-wrong") == "login_locked")
      }
      // A guess with another's token counts against whom it is aimed at.
      #expect(try await code(identity, others, "Wrong-1-wrong", login: "eva") == "wrong_credentials")
      identity.time.advance(seconds: 3600)
      #expect(try await logIn(identity, others).deviceToken != others)
      identity.time.advance(seconds: 401 * 86_400)
      #expect(try await logIn(identity, own).deviceToken != own)
    }
  }

  @Test("The store has only a device token's hash, and forgets the oldest beyond the maximum of an account")
  func kept() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let first = try await logIn(identity, nil).deviceToken
      for _ in 0..<30 {
        identity.time.advance(seconds: 60)
        _ = try await logIn(identity, nil)
      }
      #expect(try await identity.count("SELECT COUNT(*) FROM device_tokens") == 30)
      try await identity.guess(times: 5, from: attacker)
      #expect(try await code(identity, first) == "login_locked")
    }
  }

  /// What ends the trust in a device.
  enum End: String, CaseIterable {
    case closed, passwordChanged, recovered, loggedOut
  }

  @Test(
    "A device is no longer known once its session is closed or the password recovered; logging out keeps it known",
    arguments: End.allCases)
  func forgotten(end: End) async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (device, other) = (try await logIn(identity, nil), try await logIn(identity, nil))
      var password = RunningIdentity.password
      switch end {
      case .closed:
        _ = try await identity.ask(CloseSession.self, .init(sessionID: device.session.id), by: .signedIn(other))
      case .passwordChanged:
        password = RunningIdentity.otherPassword
        _ = try await identity.ask(
          ChangePassword.self,
          .init(
            currentPassword: FormField(text: RunningIdentity.password), password: FormField(text: password),
            passwordConfirmation: FormField(text: password)), by: .signedIn(other))
      case .recovered:
        password = RunningIdentity.otherPassword
        try await identity.askToRecover()
        try await identity.recover(try await identity.recoveryToken())
      case .loggedOut: _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(device))
      }
      try await identity.guess(times: 5, from: attacker)
      #expect(try await code(identity, device.deviceToken, password) == (end == .loggedOut ? "in" : "login_locked"))
      // Whose session it was that changed the password is still known.
      let isOtherKnown = end != .recovered
      #expect(try await code(identity, other.deviceToken, password) == (isOtherKnown ? "in" : "login_locked"))
    }
  }

  @Test("Only a login with the password gives a device token")
  func given() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await logIn(identity, nil)
      #expect(signedIn.deviceToken != nil)
      #expect(try await identity.ask(RefreshSession.self, .init(refreshToken: signedIn.refreshToken)).deviceToken == nil)
    }
  }
}
