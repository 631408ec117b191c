import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Synchronization
import Testing

@testable import IdentityService

@Suite("Recovering a forgotten password (ID-8; H CU-2, S 5)")
struct PasswordRecoveryTests {
  private func refusal(_ identity: RunningIdentity, _ token: String) async throws -> String {
    try await failure { try await identity.recover(token) }.code
  }

  @Test(
    "A recovery link is requested by e-mail address, however it is written, and recorded (S 5, scenario 1; CU-2)"
  )
  func asking() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let output = try await identity.askToRecover(" Ana@EXAMPLE.com")
      #expect(output == .init(email: account.email, linkLifetimeSeconds: 1800))
      let published = try await identity.published(PasswordRecoveryRequested.self)
      #expect(published.map(\.accountID) == [account.id])
      #expect(try await identity.securityEvents() == ["passwordRecoveryRequested"])
      // What is published holds no secret.
      let token = try await identity.recoveryToken()
      #expect(!String(decoding: published[0].json, as: UTF8.self).contains(token))
    }
  }

  @Test("Repeating a recovery request with its idempotency key sends one link")
  func repetition() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      for _ in 0..<2 {
        _ = try await identity.ask(RequestPasswordRecovery.self, .init(email: "ana@example.com"), key: "k")
      }
      #expect(try await identity.published(PasswordRecoveryRequested.self).count == 1)
    }
  }

  @Test(
    "A missing, empty or malformed e-mail address of a recovery request is named (CU-2, 5a)",
    arguments: [("{}", "required"), (#"{"email":""}"#, "required"), (#"{"email":"ana"}"#, "invalid_email")])
  func missing(body: String, rule: String) async throws {
    try await RunningIdentity.run { identity in
      let failure = try await failure { try await identity.ask(RequestPasswordRecovery.self, json: body) }
      #expect(failure.code == "invalid_fields")
      #expect(failure.fields.map { "\($0.field) \($0.code)" } == ["email \(rule)"])
      #expect(try await identity.securityEvents().isEmpty)
    }
  }

  /// Asks so often for links, and notes answers and the statements that the store ran for each.
  private func watched(_ times: Int, isKnown: Bool) async throws -> (answers: [[UInt8]], statements: [String], rows: [Int]) {
    try await RunningIdentity.run { identity in
      try await identity.register("bea")
      if isKnown { try await identity.register("ana") }
      // Statements are prepared once.
      try await identity.askToRecover("carla@example.com")
      let statements = Statements()
      try await identity.store.write { transaction in
        transaction.database.trace { event in
          if case .statement(let statement) = event { statements.add(statement.sql) }
        }
      }
      var answers: [[UInt8]] = []
      for _ in 0..<times { answers.append(try await identity.askToRecover().json) }
      let seen = statements.all
      return (
        answers, seen,
        [
          try await identity.count("SELECT COUNT(*) FROM outbox WHERE name = 'passwordRecoveries.requested'"),
          try await identity.count("SELECT COUNT(*) FROM security_events WHERE kind <> 'accountRegistered'"),
          try await identity.count("SELECT COUNT(*) FROM password_recoveries"),
          try await identity.count("SELECT COUNT(*) FROM password_recoveries WHERE replaced_at IS NOT NULL"),
        ]
      )
    }
  }

  private final class Statements: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  @Test(
    "Recovery of an unknown address has the same answer, statements and rows as of a known one (S 5, scenario 2)",
    arguments: [1, 5])
  func enumeration(times: Int) async throws {
    let (known, unknown) = (try await watched(times, isKnown: true), try await watched(times, isKnown: false))
    #expect(known.answers == unknown.answers)
    #expect(known.statements.count > 5 * times)
    #expect(known.statements == unknown.statements)
    #expect(known.rows == unknown.rows)
  }

  @Test("The recovery request of an unknown address sends nothing, and the address is not visible in the store")
  func unknown() async throws {
    try await RunningIdentity.run { identity in
      try await identity.askToRecover("nobody@example.com")
      let asked = try await identity.published(PasswordRecoveryRequested.self)
      #expect(asked.map(\.accountID) == [nil])
      let refused = try await failure { try await identity.recoveryToken() }
      #expect(refused.code == "not_found")
      // Registering later makes no use of it.
      try await identity.register("nobody.here")
      let later = try await failure { try await identity.recoveryToken() }
      #expect(later.code == "not_found")
      for file in try FileManager.default.contentsOfDirectory(atPath: identity.home.stores) {
        let bytes = try #require(FileManager.default.contents(atPath: "\(identity.home.stores)/\(file)"))
        #expect(bytes.range(of: Data("nobody@example.com".utf8)) == nil)
      }
    }
  }

  @Test("The recovery link sets the new password, ends every session, and is published and recorded (S 5, scenario 3)")
  func success() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      try await identity.register("bea")
      let (first, second) = (try await identity.logIn(), try await identity.logIn())
      let beas = try await identity.logIn("bea")
      func makeToken(_ owner: SignedIn) async throws -> PersonalAccessTokenHash {
        let input = CreatePersonalAccessToken.Input(name: try PersonalAccessTokenName(text: "script"), scopes: [.activityRead])
        return .of(try await identity.ask(CreatePersonalAccessToken.self, input, by: .signedIn(owner)).secret)
      }
      let (anasToken, beasToken) = (try await makeToken(first), try await makeToken(beas))
      try await identity.askToRecover()
      #expect(try await identity.recover(try await identity.recoveryToken()).username == account.username)

      #expect(try await failure { try await identity.logIn() }.code == "wrong_credentials")
      #expect(try await identity.logIn("ana", RunningIdentity.otherPassword).account.id == account.id)
      let revoked = try await identity.published(SessionRevoked.self)
      #expect(Set(revoked.map(\.sessionID)) == [first.session.id, second.session.id])
      #expect(revoked.allSatisfy { $0.reason == .passwordRecovered && $0.accountID == account.id })
      for old in [first, second] {
        let refused = try await failure { try await identity.ask(RefreshSession.self, .init(refreshToken: old.refreshToken)) }
        #expect(refused.code == "refresh_token_invalid")
        #expect(
          try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(old)) }.code == "session_revoked"
        )
      }
      _ = try await identity.ask(RefreshSession.self, .init(refreshToken: beas.refreshToken))
      #expect(
        try await failure {
          try await identity.ask(IdentifyPersonalAccessToken.self, .init(hash: anasToken), by: .service(.gateway))
        }
        .code == "unauthenticated")
      _ = try await identity.ask(IdentifyPersonalAccessToken.self, .init(hash: beasToken), by: .service(.gateway))
      #expect(try await identity.published(PasswordChanged.self).map(\.accountID) == [account.id])
      #expect(try await identity.securityEvents().contains("passwordRecovered"))
    }
  }

  @Test(
    "Recovery verifies the address, and makes the links to verify it unnecessary (ID-2, ID-8)")
  func verifies() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let older = try await identity.mailedToken()
      _ = try await identity.ask(ResendVerification.self, .init(), by: .signedIn(try await identity.logIn()))
      let link = try await identity.mailedToken()
      #expect(!account.isVerified)
      try await identity.askToRecover()
      _ = try await identity.recover(try await identity.recoveryToken())
      #expect(try await identity.logIn("ana", RunningIdentity.otherPassword).account.isVerified)
      #expect(try await identity.published(AccountVerified.self).map(\.accountID) == [account.id])
      // As one that has done its work: the address is verified.
      #expect(try await identity.ask(VerifyAccount.self, .init(token: link)).isVerified)
      #expect(try await identity.published(AccountVerified.self).count == 1)
      #expect(try await !identity.securityEvents().contains("verificationLinkRefused"))
      let replaced = try await failure { try await identity.ask(VerifyAccount.self, .init(token: older)) }
      #expect(replaced.code == "verification_link_replaced")
    }
  }

  @Test("Recovery works during a lock caused by guesses, and clears it")
  func lock() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      for _ in 0..<5 { _ = try await failure { try await identity.logIn("ana", "Wrong-1-wrong", from: "198.51.100.9") } }
      #expect(try await failure { try await identity.logIn() }.code == "login_locked")
      try await identity.askToRecover()
      try await identity.recover(try await identity.recoveryToken())
      _ = try await identity.logIn("ana", RunningIdentity.otherPassword)
    }
  }

  @Test("A password that breaks rules is refused at recovery with each rule, and the link stays usable (S 5, scenario 3)")
  func weak() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToRecover()
      let token = try await identity.recoveryToken()
      func rules(_ password: String, _ repetition: String) async throws -> [String] {
        let failure = try await failure { try await identity.recover(token, password, repetition: repetition) }
        return failure.fields.map { "\($0.field) \($0.code)" }
      }
      #expect(
        try await rules("mar", "sol") == [
          "password password_too_short", "password password_lacks_upper_case", "password password_lacks_digit",
          "password password_lacks_special", "passwordConfirmation passwords_differ",
        ])
      #expect(try await rules("", "") == ["password required", "passwordConfirmation required"])
      #expect(try await rules("Passw0rd!", "Passw0rd!") == ["password password_common"])
      #expect(try await rules("ANA@example.com", "ANA@example.com").contains("password password_is_name"))
      #expect(try await identity.published(PasswordChanged.self).isEmpty)
      try await identity.recover(token)
    }
  }

  @Test("A recovery link works once")
  func once() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToRecover()
      let token = try await identity.recoveryToken()
      try await identity.recover(token)
      let again = try await failure { try await identity.recover(token, "Otra-5-clave") }
      #expect(again.code == "recovery_link_used" && again.status == 410)
      #expect(try await identity.securityEvents().last == "passwordRecoveryRefused")
      _ = try await identity.logIn("ana", RunningIdentity.otherPassword)
      #expect(try await identity.published(PasswordChanged.self).count == 1)
    }
  }

  @Test("Only one of many concurrent uses of a recovery link succeeds")
  func concurrently() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToRecover()
      let token = try await identity.recoveryToken()
      let codes = await withTaskGroup(of: String.self) { group in
        for number in 0..<10 {
          group.addTask {
            do {
              try await identity.recover(token, "Mar-\(number)-azul")
              return "done"
            } catch { return (error as? Failure)?.code ?? "\(error)" }
          }
        }
        return await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(codes.filter { $0 == "done" }.count == 1)
      #expect(codes.filter { $0 == "recovery_link_used" }.count == 9)
      #expect(try await identity.published(PasswordChanged.self).count == 1)
    }
  }

  @Test("After 30 minutes a recovery link is refused as expired and recorded, and a new one can be requested (S 5, scenario 4)")
  func expired() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToRecover()
      let token = try await identity.recoveryToken()
      identity.time.advance(seconds: 1800)
      let expired = try await failure { try await identity.recover(token) }
      #expect(expired.code == "recovery_link_expired" && expired.status == 410)
      #expect(try await identity.securityEvents() == ["passwordRecoveryRequested", "passwordRecoveryRefused"])
      #expect(try await failure { try await identity.recoveryToken() }.code == "not_found")
      try await identity.askToRecover()
      identity.time.advance(seconds: 1799)
      try await identity.recover(try await identity.recoveryToken())
    }
  }

  @Test("A newer recovery link replaces an older one")
  func replaced() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToRecover()
      let older = try await identity.recoveryToken()
      try await identity.askToRecover()
      #expect(try await refusal(identity, older) == "recovery_link_replaced")
      try await identity.recover(try await identity.recoveryToken())
      #expect(try await refusal(identity, older) == "recovery_link_replaced")
    }
  }

  @Test(
    "Foreign, damaged and invented recovery links are refused as invalid and recorded (S 5, scenario 4)"
  )
  func invalid() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let verifying = try await identity.mailedToken()
      try await identity.register("bea")
      try await identity.askToRecover("ana@example.com")
      let anas = try await identity.recoveryToken()
      try await identity.askToRecover("bea@example.com")
      let invalid = try damagedTokens(anas, try await identity.recoveryToken()) + [verifying, "nonsense?"]
      for text in invalid { #expect(try await refusal(identity, text) == "recovery_link_invalid") }
      let recovering = try await failure {
        try await identity.ask(VerifyAccount.self, .init(token: anas))
      }
      #expect(recovering.code == "verification_link_invalid")
      let refused = try await identity.securityEvents().filter { $0 == "passwordRecoveryRefused" }
      #expect(refused.count == invalid.count)
      #expect(try await identity.published(PasswordChanged.self).isEmpty)
    }
  }

  @Test("A recovery link sent to a former address of the account is invalid")
  func changedAddress() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToRecover()
      let token = try await identity.recoveryToken()
      try await identity.store.write {
        try $0.database.execute(sql: "UPDATE accounts SET email = 'new@example.com', email_normalized = 'new@example.com'")
      }
      #expect(try await refusal(identity, token) == "recovery_link_invalid")
      #expect(try await failure { try await identity.recoveryToken() }.code == "not_found")
    }
  }

  @Test(
    "Beyond three recovery links in 30 minutes no mail is sent, with the same answer; the newest link still works")
  func tooMany() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      var answers: Set<[UInt8]> = []
      for number in 0..<6 { answers.insert(try await identity.askToRecover(from: "198.51.100.\(number)").json) }
      #expect(answers.count == 1)
      #expect(try await identity.published(PasswordRecoveryRequested.self).count == 3)
      #expect(try await identity.count("SELECT COUNT(*) FROM security_events WHERE detail = 'too_many'") == 3)
      try await identity.recover(try await identity.recoveryToken())
      identity.time.advance(seconds: 1800)
      try await identity.askToRecover()
      #expect(try await identity.published(PasswordRecoveryRequested.self).count == 4)
    }
  }

  @Test("Beyond twenty recovery links a network address gets no more, while others do")
  func tooManyFromOnePlace() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      for number in 0..<20 { try await identity.askToRecover("person\(number)@example.com") }
      try await identity.askToRecover()
      #expect(try await identity.published(PasswordRecoveryRequested.self).count == 20)
      try await identity.askToRecover(from: "198.51.100.1")
      #expect(try await identity.published(PasswordRecoveryRequested.self).count == 21)
    }
  }

  @Test("Only the notifications service learns a recovery link's secret and an account's address")
  func secret() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      try await identity.askToRecover()
      let recovery = try #require(try await identity.published(PasswordRecoveryRequested.self).first).recoveryID
      let secret = try await identity.askAsNotifications(GetRecoverySecret.self, .init(recoveryID: recovery))
      #expect(secret.email == account.email && secret.username == account.username && secret.language == account.language)
      #expect(secret.expiresAt == identity.time.now.adding(seconds: 1800))
      let addressee = try await identity.askAsNotifications(GetAddressee.self, .init(accountID: account.id))
      #expect(addressee == .init(email: account.email, username: account.username, language: account.language))
      for caller in [Caller.person(), .service(.social), .service(.gateway)] {
        let refusals = [
          try await failure { try await identity.ask(GetRecoverySecret.self, .init(recoveryID: recovery), by: caller) },
          try await failure { try await identity.ask(GetAddressee.self, .init(accountID: account.id), by: caller) },
        ]
        #expect(refusals.map(\.code) == ["forbidden", "forbidden"])
      }
    }
  }

  @Test("A recovery link mailed before a restart works afterwards, and a late subscriber learns of it while it works")
  func restart() async throws {
    try await RunningIdentity.run { first in
      try await first.register()
      try await first.askToRecover("nobody@example.com")
      try await first.askToRecover()
      try await first.askToRecover()
      let token = try await first.recoveryToken()
      let waiting = try #require(try await first.published(PasswordRecoveryRequested.self).last)
      let second = try await first.restarted()
      #expect(try await second.waiting() == [waiting])
      try await second.recover(token)
      #expect(try await second.waiting().isEmpty)
      await second.store.close()
    }
  }
}

extension RunningIdentity {
  /// The requests in the snapshot.
  fileprivate func waiting() async throws -> [PasswordRecoveryRequested] {
    var published: [LoggedEvent] = []
    var key: String?
    repeat {
      let page = try await store.log.snapshot(after: key)
      published += page.events
      key = page.nextKey
    } while key != nil
    return try published.filter { $0.name == PasswordRecoveryRequested.spec.name }.map { try .decode($0.body) }
  }
}
