import Foundation
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Changing the e-mail address (ID-11)")
struct EmailChangeTests {
  private func fields(_ failure: Failure) -> [String] { failure.fields.map { "\($0.field) \($0.code)" } }

  @Test("Only the link mailed to the new address changes an account's address, and the former address is notified")
  func success() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let ana = try await identity.logIn()
      let asked = try await identity.askToChange(ana, to: "New@example.com")
      #expect(asked.expiresAt == identity.time.now.adding(seconds: 86_400))
      let mail = try await identity.emailChangeMail()
      #expect(mail.email.description == "New@example.com" && mail.username == account.username)
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(ana)).email == account.email)
      #expect(try await identity.published(EmailChanged.self).isEmpty)

      let done = try await identity.follow(mail.token)
      #expect(done.email.description == "New@example.com" && done.username == account.username)
      let changed = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(ana))
      #expect(changed.email.description == "New@example.com")
      // The address was not verified before; the link proves that the new one is the account's.
      #expect(!account.isVerified && changed.isVerified)
      let published = try #require(try await identity.published(AccountChanged.self).last)
      #expect(published.isVerified && published.revision == 2)
      #expect(try await identity.securityEvents() == ["emailChangeRequested", "emailChanged"])

      let change = try #require(try await identity.published(EmailChanged.self).last)
      #expect(change.accountID == account.id)
      let notice = try await identity.askAsNotifications(GetEmailChangeNotice.self, .init(changeID: change.changeID))
      #expect(notice.email == account.email && notice.username == account.username)

      _ = try await identity.logIn("new@example.com")
      #expect(try await failure { try await identity.logIn("ana@example.com") }.code == "wrong_credentials")
      // The former address is free for others once the change can no longer be undone.
      identity.time.advance(seconds: 72 * 3600)
      _ = try await identity.ask(RegisterAccount.self, RunningIdentity.form("ana2", email: "ana@example.com"))
    }
  }

  @Test("Requesting another address with a wrong password changes nothing, is recorded, and counts for the session")
  func wrongPassword() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      try await identity.guess(times: 5)
      for _ in 0..<5 {
        let refused = try await failure { try await identity.askToChange(ana, to: "new@example.com", "Wrong-1-wrong") }
        #expect(refused.code == "wrong_password" && refused.status == 403)
      }
      #expect(
        try await identity.securityEvents()
          == Array(repeating: "loginFailed", count: 4) + ["loginLocked"] + Array(repeating: "emailChangeFailed", count: 4)
          + ["loginLocked"])
      let locked = try await failure { try await identity.askToChange(ana) }
      #expect(locked.code == "login_locked" && locked.retryAfterSeconds == 30)
      #expect(try await identity.published(EmailChangeRequested.self).isEmpty)
      identity.time.advance(seconds: 30)
      try await identity.askToChange(ana)
    }
  }

  @Test(
    "Repeating a request for another address with its idempotency key sends no second link; a refused one is tried again"
  )
  func repetition() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      func request(_ password: String, to email: String = "new@example.com") async throws -> RequestEmailChange.Output {
        try await identity.ask(
          RequestEmailChange.self, .init(email: FormField(text: email), currentPassword: FormField(text: password)),
          by: .signedIn(own), key: "change")
      }
      for _ in 0..<2 { #expect(try await failure { try await request("Wrong-1-wrong") }.code == "wrong_password") }
      #expect(try await identity.securityEvents() == ["emailChangeFailed", "emailChangeFailed"])
      let first = try await request(RunningIdentity.password)
      identity.time.advance(seconds: 60)
      #expect(try await request(RunningIdentity.password) == first)
      #expect(try await identity.published(EmailChangeRequested.self).count == 1)
      let reused = try await failure { try await request(RunningIdentity.password, to: "third@example.com") }
      #expect(reused.code == "idempotency_key_reused")
      #expect(try await failure { try await request("Wrong-1-wrong") }.code == "idempotency_key_reused")
    }
  }

  @Test("All faults of a change of address are named at once, and the password is not checked")
  func faults() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      #expect(
        fields(try await failure { try await identity.askToChange(ana, to: "new", "") })
          == ["email invalid_email", "currentPassword required"])
      #expect(
        fields(try await failure { try await identity.ask(RequestEmailChange.self, json: "{}", by: .signedIn(ana)) })
          == ["email required", "currentPassword required"])
      #expect(
        fields(try await failure { try await identity.askToChange(ana, to: "ANA@EXAMPLE.com", "Wrong-1-wrong") })
          == ["email email_unchanged"])
      #expect(try await identity.securityEvents().isEmpty)
    }
  }

  @Test("A change to a taken address is answered like one to a free address, but no mail is sent and nothing changes")
  func taken() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea"] { try await identity.register(name) }
      let ana = try await identity.logIn()
      let free = try await identity.askToChange(ana, to: "new@example.com")
      let taken = try await identity.askToChange(ana, to: "Bea@example.com")
      #expect(taken.email.description == "Bea@example.com" && taken.expiresAt == free.expiresAt)
      #expect(try await identity.published(EmailChangeRequested.self).count == 2)
      #expect(try await failure { try await identity.emailChangeMail() }.code == "not_found")
      #expect(try await identity.count("SELECT COUNT(*) FROM email_changes") == 2)
      _ = try await identity.logIn("bea@example.com")
    }
  }

  @Test("If two accounts claim an address, the first to follow the link gets it, and the other is refused")
  func race() async throws {
    try await RunningIdentity.run { identity in
      var tokens: [String] = []
      for name in ["ana", "bea"] {
        try await identity.register(name)
        try await identity.askToChange(try await identity.logIn(name))
        tokens.append(try await identity.emailChangeMail().token)
      }
      let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
        for token in tokens {
          group.addTask {
            do {
              return try await identity.follow(token).email.description
            } catch let failure as Failure {
              return failure.code
            }
          }
        }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(outcomes.sorted() == ["email_change_address_taken", "new@example.com"])
      #expect(try await identity.count("SELECT COUNT(*) FROM accounts WHERE email_normalized = 'new@example.com'") == 1)
      #expect(try await identity.count("SELECT COUNT(*) FROM email_changes WHERE used_at IS NOT NULL") == 1)
    }
  }

  @Test("An address that is registered before the link is followed stays with who registered it")
  func registered() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToChange(try await identity.logIn())
      let token = try await identity.emailChangeMail().token
      _ = try await identity.ask(RegisterAccount.self, RunningIdentity.form("carla", email: "NEW@example.com"))
      let refused = try await failure { try await identity.follow(token) }
      #expect(refused.code == "email_change_address_taken" && refused.status == 409)
      _ = try await identity.logIn("ana@example.com")
    }
  }

  @Test("A link that changes an address works once, for 24 hours, and only the newest")
  func links() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      try await identity.askToChange(ana, to: "one@example.com")
      let first = try await identity.emailChangeMail().token
      try await identity.askToChange(ana, to: "two@example.com")
      let second = try await identity.emailChangeMail().token
      #expect(try await failure { try await identity.follow(first) }.code == "email_change_link_replaced")
      identity.time.advance(seconds: 86_399)
      #expect(try await identity.follow(second).email.description == "two@example.com")
      #expect(try await failure { try await identity.follow(second) }.code == "email_change_link_used")
      identity.time.advance(seconds: 1)
      #expect(try await failure { try await identity.follow(first) }.code == "email_change_link_expired")
      #expect(try await identity.securityEvents().filter { $0 == "emailChangeRefused" }.count == 3)
    }
  }

  @Test("Invented, damaged or foreign tokens of changes of address are refused and recorded")
  func forged() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea"] { try await identity.register(name) }
      try await identity.askToChange(try await identity.logIn("ana"), to: "one@example.com")
      let token = try await identity.emailChangeMail().token
      try await identity.askToChange(try await identity.logIn("bea"), to: "two@example.com")
      let other = try await identity.emailChangeMail().token
      try await identity.askToRecover("ana@example.com")
      let tokens = [
        "a", token + "A", String(token.dropLast()) + (token.last == "A" ? "B" : "A"),
        String(token.prefix(21)) + String(other.dropFirst(21)), try await identity.mailedToken(),
        try await identity.recoveryToken(),
      ]
      for token in tokens { #expect(try await failure { try await identity.follow(token) }.code == "email_change_link_invalid") }
      #expect(try await identity.securityEvents().filter { $0 == "emailChangeRefused" }.count == tokens.count)
      for kind in [token, other] {
        #expect(
          try await failure { try await identity.ask(VerifyAccount.self, .init(token: kind)) }.code
            == "verification_link_invalid")
        #expect(try await failure { try await identity.recover(kind) }.code == "recovery_link_invalid")
      }
      #expect(try await identity.count("SELECT COUNT(*) FROM accounts WHERE email_normalized LIKE '%@example.com'") == 2)
    }
  }

  @Test("Changing an address invalidates open links to the former one: to verify it and to recover the password")
  func otherLinks() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let verification = try await identity.mailedToken()
      try await identity.askToRecover()
      let recovery = try await identity.recoveryToken()
      try await identity.askToChange(ana)
      try await identity.follow(try await identity.emailChangeMail().token)
      #expect(
        try await failure { try await identity.ask(VerifyAccount.self, .init(token: verification)) }.status >= 404)
      #expect(try await failure { try await identity.recover(recovery) }.status >= 404)
      _ = try await identity.logIn("new@example.com", RunningIdentity.password)
      // A mail that was not written yet has nothing to say any more.
      #expect(try await failure { try await identity.recoveryToken() }.code == "not_found")
    }
  }

  @Test(
    "A pending link to change an address ends with any change of the password",
    arguments: [true, false])
  func passwordChanged(byRecovery: Bool) async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      _ = try await identity.askToChange(ana, to: "thief@example.com")
      let link = try await identity.emailChangeMail()
      let new = FormField<Password>(text: "Mar-9-bravo")
      if byRecovery {
        try await identity.askToRecover("ana@example.com")
        let recovery = try #require(try await identity.published(PasswordRecoveryRequested.self).last).recoveryID
        let token = try await identity.askAsNotifications(GetRecoverySecret.self, .init(recoveryID: recovery)).token
        _ = try await identity.ask(
          CompletePasswordRecovery.self, .init(token: token, password: new, passwordConfirmation: new))
      } else {
        _ = try await identity.ask(
          ChangePassword.self,
          .init(currentPassword: .init(text: RunningIdentity.password), password: new, passwordConfirmation: new),
          by: .signedIn(ana))
      }
      #expect(try await failure { try await identity.follow(link.token) }.code == "email_change_link_replaced")
    }
  }

  @Test(
    "An account gets six address change links an hour and an address three; the answer says how long to wait")
  func bounded() async throws {
    try await RunningIdentity.run { identity in
      for name in ["ana", "bea"] { try await identity.register(name) }
      let (ana, bea) = (try await identity.logIn("ana"), try await identity.logIn("bea"))
      for _ in 0..<2 { try await identity.askToChange(ana) }
      identity.time.advance(seconds: 60)
      try await identity.askToChange(bea)
      for person in [ana, bea] {
        let refused = try await failure { try await identity.askToChange(person) }
        #expect(refused.code == "too_many_email_changes" && refused.status == 429 && refused.retryAfterSeconds == 3540)
      }
      for index in 0..<4 { try await identity.askToChange(ana, to: "n\(index)@example.com") }
      #expect(try await failure { try await identity.askToChange(ana, to: "n9@example.com") }.code == "too_many_email_changes")
      identity.time.advance(seconds: 3540)
      try await identity.askToChange(ana)
    }
  }

  @Test("No secret of an address change link is in the store or in events, and only notifications can ask for it")
  func secrets() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      try await identity.askToChange(ana)
      let token = try await identity.emailChangeMail().token
      var kept = Data()
      for case let name as String in try #require(FileManager.default.enumerator(atPath: identity.home.stores)) {
        kept += try Data(contentsOf: URL(fileURLWithPath: "\(identity.home.stores)/\(name)"))
      }
      #expect(kept.range(of: Data(token.utf8)) == nil && kept.range(of: Data("new@example.com".utf8)) != nil)
      let change = try #require(try await identity.published(EmailChangeRequested.self).last).changeID
      for caller in [Caller.person(), .signedIn(ana), .service(.gateway)] {
        #expect(
          try await failure {
            try await identity.ask(GetEmailChangeSecret.self, .init(changeID: change), by: caller)
          }.code == "forbidden")
        #expect(
          try await failure { try await identity.ask(GetEmailChangeNotice.self, .init(changeID: change), by: caller) }.code
            == "forbidden")
      }
      let undoing = try await identity.emailChangeNotice().token
      #expect(kept.range(of: Data(undoing.utf8)) == nil)
    }
  }

  @Test("A late subscriber learns of pending address change links, and they work after a restart")
  func late() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-identity-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = try await RunningIdentity(
      home: .init(path: folder), time: RunningIdentity.clock(), cost: HashCost(memoryBytes: 64 << 10, passes: 1))
    try await first.register()
    try await first.askToChange(try await first.logIn())
    let token = try await first.emailChangeMail().token
    let change = try #require(try await first.published(EmailChangeRequested.self).last)
    let second = try await first.restarted()
    let parts = SnapshotParts(try await second.features().flatMap(\.snapshot))
    let page = try await second.store.read { database in
      try parts.page(database, after: "emailChanges/").events.compactMap { $0 as? EmailChangeRequested }
    }
    #expect(page == [change])
    #expect(try await second.follow(token).email.description == "new@example.com")
    await second.store.close()
  }
}
