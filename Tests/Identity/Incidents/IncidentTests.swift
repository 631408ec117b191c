import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Security events and incidents (ID-15; S 10)")
struct IncidentTests {
  @Test(
    "A critical security event is reported to every administrator at once, by one mail in their language (S 10, scenario 1)"
  )
  func critical() async throws {
    try await RunningIdentity.run { identity in
      let one = try await identity.administrator("adela")
      let other = try await identity.administrator("berta")
      try await identity.store.write {
        try $0.database.execute(sql: "UPDATE accounts SET language = 'es' WHERE username = 'berta'")
      }
      let before = try await identity.published(AdministratorAlerted.self).count
      let ana = try await identity.register()
      for address in 1...12 { try await identity.guess(from: "198.51.100.\(address)"); identity.time.advance(seconds: 3600) }
      let published = try await identity.published(AdministratorAlerted.self).suffix(from: before)
      #expect(published.map(\.accountID) == [one.account.id, other.account.id])
      #expect(
        published.map(\.title) == [
          "Attempts at one account from many addresses", "Intentos contra una cuenta desde muchas direcciones",
        ])
      let mail = try await identity.askAsNotifications(GetSecurityMail.self, .init(mailID: try #require(published.last).mailID))
      #expect(mail.email.description == "berta@example.com" && mail.language == .spanish)
      #expect(mail.lines.contains("Gravedad: crítica") && mail.lines.contains("Cuenta: \(ana.id)"))
      // A mail that has gone out forgets nothing: it names nobody whose account may be deleted (ID-12).
      #expect(!mail.lines.contains { $0.contains(" ana") })
      #expect(mail.recommendations.count == 1)
      // Who administers no longer reads it no longer.
      try await identity.store.write { try $0.database.execute(sql: "UPDATE accounts SET is_administrator = 0") }
      let gone = try await failure {
        try await identity.askAsNotifications(GetSecurityMail.self, .init(mailID: try #require(published.last).mailID))
      }
      #expect(gone.code == "not_found")
    }
  }

  @Test(
    "Many failed logins to one account slow it down, are one incident, and are reported to its owner once (S 10, scenario 2)"
  )
  func account() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      let ana = try await identity.register()
      try await identity.guess(times: 4)
      #expect(try await identity.incidents(by: administrator, pattern: .accountGuessed).isEmpty)
      try await identity.guess()
      #expect(try await identity.guess() == ["login_locked"])
      for _ in 0..<3 {
        identity.time.advance(seconds: 3600)
        try await identity.guess()
      }
      let incidents = try await identity.incidents(by: administrator, pattern: .accountGuessed)
      let incident = try #require(incidents.first)
      #expect(incidents.count == 1 && incident.count == 9 && incident.isOpen && incident.severity == .warning)
      #expect(incident.username?.description == "ana" && incident.measures == [.accountSlowedDown])
      #expect(incident.lastAt == incident.firstAt.adding(seconds: 3 * 3600))
      let published = try await identity.published(AccountProtected.self)
      #expect(published.map(\.accountID) == [ana.id] && published.map(\.pattern) == [.accountGuessed])
      // Recovery is open, and the owner gets in with it.
      try await identity.askToRecover()
      try await identity.recover(try await identity.recoveryToken())
      _ = try await identity.logIn("ana", RunningIdentity.otherPassword)
      let details = try await identity.ask(GetIncident.self, .init(incidentID: incident.id), by: .signedIn(administrator))
      #expect(details.events.contains { $0.kind == "loginLocked" } && details.events.contains { $0.kind == "passwordRecovered" })
    }
  }

  @Test(
    "Attempts during a wait count for their incident, which becomes critical, without being checked (S 10, scenarios 1 and 2)"
  )
  func early() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      try await identity.register()
      let before = try await identity.published(AdministratorAlerted.self).count
      let recorded = try await identity.securityEvents().count
      try await identity.guess(times: 59)
      // The right password learns nothing either, and does not end it.
      #expect(try await failure { try await identity.logIn() }.code == "login_locked")
      let incidents = try await identity.incidents(by: administrator, pattern: .accountGuessed)
      #expect(incidents.map(\.count) == [60] && incidents[0].severity == .critical)
      #expect(try await identity.published(AdministratorAlerted.self).count == before + 1)
      #expect(try await identity.securityEvents().count == recorded + 5)
      #expect(try await identity.published(AccountProtected.self).count == 1)
      // They make the wait no longer.
      identity.time.advance(seconds: 30)
      _ = try await identity.logIn()
    }
  }

  @Test("Attempts during an address's wait count for its incident, whatever the account")
  func earlyFromAddress() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      for number in 0..<25 { try await identity.guess("user\(number)", from: "203.0.113.9") }
      let incidents = try await identity.incidents(by: administrator, pattern: .addressGuessing)
      #expect(incidents.map(\.count) == [25] && incidents[0].severity == .critical)
      #expect(try await identity.incidents(by: administrator, pattern: .accountGuessed).isEmpty)
    }
  }

  @Test("Guessing an unknown login is an incident, of which nobody is notified")
  func nobody() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      try await identity.guess("nobody.here", times: 5)
      let incident = try #require(try await identity.incidents(by: administrator, pattern: .accountGuessed).first)
      #expect(incident.accountID == nil && incident.count == 5)
      // What is published names nobody.
      #expect(try await identity.published(AccountProtected.self).map(\.accountID) == [nil])
    }
  }

  @Test(
    "Attempts on many accounts from one address slow it down, however it is written, also after a restart (S 10, scenario 2)"
  )
  func address() async throws {
    try await RunningIdentity.run { first in
      let administrator = try await first.administrator()
      for (index, name) in ["ana", "bea", "carla", "dora", "elena"].enumerated() {
        try await first.register(name)
        try await first.guess(name, from: "2001:db8:1:2::\(index + 1)")
      }
      let second = try await first.restarted()
      #expect(try await failure { try await second.logIn("ana", from: "2001:db8:1:2::77") }.code == "login_locked")
      let incidents = try await second.incidents(by: administrator, pattern: .addressGuessing)
      // The attempt that had to wait is counted.
      #expect(incidents.map(\.count) == [6] && incidents[0].measures == [.addressSlowedDown])
      #expect(incidents[0].address == "2001:db8:1:2::77" && incidents[0].accountID == nil)
      second.time.advance(seconds: 60)
      try await second.guess("flora", from: "2001:db8:1:2::99")
      #expect(try await second.incidents(by: administrator, pattern: .addressGuessing).map(\.count) == [7])
      await second.store.close()
    }
  }

  @Test("A reused refresh token is reported to its owner; further ones revoke everything (S 4, scenario 3)")
  func reuse() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      try await identity.register()
      let stays = try await identity.logIn()
      for number in 1...3 {
        let stolen = try await identity.logIn()
        _ = try await identity.ask(RefreshSession.self, .init(refreshToken: stolen.refreshToken))
        identity.time.advance(seconds: 60)
        let refused = try await failure { try await identity.ask(RefreshSession.self, .init(refreshToken: stolen.refreshToken)) }
        #expect(refused.code == "refresh_token_reused")
        let isAlive = (try? await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(stays))) != nil
        #expect(isAlive == (number < 3))
      }
      let incident = try #require(try await identity.incidents(by: administrator, pattern: .tokensReused).first)
      #expect(incident.count == 3 && incident.severity == .critical)
      #expect(incident.measures == [.sessionsClosed, .everythingRevoked])
      let published = try await identity.published(AccountProtected.self)
      #expect(published.map(\.pattern) == [.tokensReused, .tokensReused] && Set(published.map(\.incidentID)) == [incident.id])
      #expect(published.map(\.measure) == [.sessionsClosed, .everythingRevoked])
    }
  }

  @Test(
    "An owner notified of guesses is also notified of reused tokens, and then of the revocation (S 10, scenario 2)"
  )
  func notices() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      try await identity.guess(times: 5, from: "192.0.2.66")
      // Of the same account's guesses from more addresses there is nothing new to report.
      for host in 70..<76 {
        identity.time.advance(seconds: 3600)
        try await identity.guess(from: "192.0.2.\(host)")
      }
      identity.time.advance(seconds: 3600)
      for _ in 1...4 {
        let stolen = try await identity.logIn()
        _ = try await identity.ask(RefreshSession.self, .init(refreshToken: stolen.refreshToken))
        identity.time.advance(seconds: 60)
        _ = try await failure { try await identity.ask(RefreshSession.self, .init(refreshToken: stolen.refreshToken)) }
      }
      let published = try await identity.published(AccountProtected.self)
      #expect(published.map(\.measure) == [.accountSlowedDown, .sessionsClosed, .everythingRevoked])
      #expect(published.allSatisfy { $0.accountID == ana.id })
    }
  }

  @Test("Guesses of an unknown login are published without naming an account (S 10, scenario 2)")
  func guessesAtNobody() async throws {
    try await RunningIdentity.run { identity in
      try await identity.guess("nobody", times: 5)
      let published = try await identity.published(AccountProtected.self)
      #expect(published.map(\.accountID) == [nil] && published.map(\.measure) == [.accountSlowedDown])
    }
  }

  /// A guess at the token of each link that is mailed.
  enum Link: CaseIterable, Sendable {
    case verification, recovery, emailChange, loginAlert

    func guess(_ identity: RunningIdentity) async throws {
      switch self {
      case .verification: _ = try await identity.ask(VerifyAccount.self, .init(token: "guess"))
      case .recovery:
        let password = FormField<Password>(text: "Mar-9-bravo")
        _ = try await identity.ask(
          CompletePasswordRecovery.self, .init(token: "guess", password: password, passwordConfirmation: password))
      case .emailChange: _ = try await identity.ask(CompleteEmailChange.self, .init(token: "guess"))
      case .loginAlert: _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: "guess", answer: .close))
      }
    }
  }

  @Test("Guessed links are an incident, and do not keep others at that address from logging in", arguments: Link.allCases)
  func links(link: Link) async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      try await identity.register()
      for _ in 0..<10 {
        _ = try await failure { try await link.guess(identity) }
      }
      let incidents = try await identity.incidents(by: administrator, pattern: .linksGuessed)
      #expect(incidents.map(\.count) == [10] && incidents[0].measures == [.observed])
      _ = try await identity.logIn()
    }
  }

  @Test(
    "43 forged states within a minute are one incident of their address, reported to administrators (S 10, scenarios 1 and 2)"
  )
  func forgedStates() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      let before = try await identity.published(AdministratorAlerted.self).count
      func forge(from address: String = "203.0.113.7") async throws {
        let input = CompleteExternalLogin.Input(state: "forged", flowSecret: "guess", code: "code")
        let refused = try await failure {
          try await identity.ask(CompleteExternalLogin.self, input, by: .person(from: address))
        }
        #expect(refused.code == "external_state_invalid")
        identity.time.advance(seconds: 1)
      }
      for _ in 0..<9 { try await forge() }
      try await forge(from: "198.51.100.1")
      #expect(try await identity.incidents(by: administrator, pattern: .proofsForged).isEmpty)
      for _ in 9..<43 { try await forge() }
      let incidents = try await identity.incidents(by: administrator, pattern: .proofsForged)
      let incident = try #require(incidents.first)
      #expect(incidents.map(\.count) == [43] && incident.severity == .critical && incident.address == "203.0.113.7")
      #expect(incident.measures == [.loginRefused] && incident.accountID == nil && incident.provider == nil)
      let published = try await identity.published(AdministratorAlerted.self).suffix(from: before)
      #expect(published.map(\.incidentID) == [incident.id])
      let details = try await identity.ask(GetIncident.self, .init(incidentID: incident.id), by: .signedIn(administrator))
      #expect(details.events.count == 43 && details.events.allSatisfy { $0.kind == "externalStateRefused" })
      // Who comes an hour later begins anew.
      identity.time.advance(seconds: 90_000)
      try await forge()
      #expect(try await identity.incidents(by: administrator, pattern: .proofsForged).count == 1)
    }
  }

  @Test(
    "Forged proofs and guessed links of one IPv6 network count together, however its addresses change (S 10, scenario 2)"
  )
  func subscribers() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      let corp = try ExternalProviderName(text: "corp")
      func attempt(from address: String) async throws {
        let caller = Caller.person(from: address)
        let forged = CompleteExternalLogin.Input(state: "forged", flowSecret: "guess", code: "code")
        _ = try await failure { try await identity.ask(CompleteExternalLogin.self, forged, by: caller) }
        _ = try await failure { try await identity.ask(VerifyAccount.self, .init(token: "guess"), by: caller) }
        try await identity.store.write { transaction in
          try SecurityEventStore.record(
            SecurityEvent(.externalProofRefused, account: nil, detail: "corp token_expired"), from: caller, transaction)
          try IncidentDetection.detectForgeries(corp, caller, transaction)
        }
      }
      // Neighbours do nothing together.
      for network in 10..<14 { try await attempt(from: "2001:db8:1:\(network)::1") }
      #expect(try await identity.count("SELECT COUNT(*) FROM incidents WHERE pattern <> 'administratorAppointed'") == 0)
      for host in 1...10 { try await attempt(from: "2001:db8:1:10:\(host)::\(host)") }
      let forged = try await identity.incidents(by: administrator, pattern: .proofsForged)
      let incident = try #require(forged.first)
      #expect(forged.map(\.count) == [22] && incident.address == "2001:db8:1:10:10::10")
      #expect(try await identity.incidents(by: administrator, pattern: .linksGuessed).map(\.count) == [11])
      #expect(try await identity.incidents(by: administrator, pattern: .providerDoubtful).isEmpty)
      let details = try await identity.ask(GetIncident.self, .init(incidentID: incident.id), by: .signedIn(administrator))
      #expect(details.events.count == 33 && Set(details.events.map(\.address)).count == 11)
    }
  }

  @Test("Refused proofs of one provider from five addresses are an incident that names it, also in the mail")
  func doubtfulProvider() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      let (corp, other) = (try ExternalProviderName(text: "corp"), try ExternalProviderName(text: "corp-2"))
      func refuse(_ provider: ExternalProviderName, from address: String) async throws {
        try await identity.store.write { transaction in
          let event = SecurityEvent(.externalProofRefused, account: nil, detail: "\(provider) token_signature_wrong")
          try SecurityEventStore.record(event, from: .person(from: address), transaction)
          try IncidentDetection.detectForgeries(provider, .person(from: address), transaction)
        }
      }
      for number in 0..<4 {
        try await refuse(corp, from: "198.51.100.\(number)")
        try await refuse(corp, from: "198.51.100.\(number)")
        try await refuse(other, from: "203.0.113.\(number)")
      }
      #expect(try await identity.incidents(by: administrator, pattern: .providerDoubtful).isEmpty)
      for number in 4..<20 { try await refuse(corp, from: "198.51.100.\(number)") }
      let incidents = try await identity.incidents(by: administrator, pattern: .providerDoubtful)
      let incident = try #require(incidents.first)
      #expect(incidents.map(\.provider) == ["corp"] && incidents.map(\.count) == [20] && incident.severity == .critical)
      let details = try await identity.ask(GetIncident.self, .init(incidentID: incident.id), by: .signedIn(administrator))
      #expect(details.events.count == 24 && details.events.allSatisfy { $0.detail == "corp token_signature_wrong" })
      let published = try #require(try await identity.published(AdministratorAlerted.self).last)
      let mail = try await identity.askAsNotifications(GetSecurityMail.self, .init(mailID: published.mailID))
      #expect(mail.lines.contains("Provider: corp"))
    }
  }

  @Test(
    "Early attempts at the current password within a session count for the incident, whatever they are for (S 7, S 10)"
  )
  func earlyInSession() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      let ana = try await identity.register()
      let own = try await identity.logIn()
      let recorded = try await identity.securityEvents().count
      let wrong = FormField<Password>(text: "Wrong-1-wrong")
      let new = FormField<Password>(text: "Mar-9-bravo")
      let attempts: [@Sendable (FormField<Password>) async throws -> Void] = [
        { password in
          _ = try await identity.ask(
            ChangePassword.self, .init(currentPassword: password, password: new, passwordConfirmation: new), by: .signedIn(own))
        },
        { password in
          _ = try await identity.ask(
            RequestEmailChange.self, .init(email: .init(text: "new@example.com"), currentPassword: password),
            by: .signedIn(own))
        },
        { password in _ = try await identity.ask(DeleteAccount.self, .init(password: password), by: .signedIn(own)) },
      ]
      for number in 0..<5 { _ = try await failure { try await attempts[number % 3](wrong) } }
      for number in 0..<15 {
        // The right one learns nothing either.
        let password = number % 2 == 0 ? wrong : FormField<Password>(text: RunningIdentity.password)
        #expect(try await failure { try await attempts[number % 3](password) }.code == "login_locked")
      }
      let incidents = try await identity.incidents(by: administrator, pattern: .accountGuessed)
      #expect(incidents.map(\.count) == [20] && incidents[0].severity == .critical && incidents[0].accountID == ana.id)
      #expect(try await identity.securityEvents().count == recorded + 5)
      #expect(try await identity.published(AccountProtected.self).map(\.accountID) == [ana.id])
      // They make the wait no longer.
      identity.time.advance(seconds: 30)
      try await attempts[0](FormField<Password>(text: RunningIdentity.password))
    }
  }

  @Test("An incident ends after a quiet day or by an administrator; what comes later is another one")
  func ends() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      func list(isOpen: Bool? = nil) async throws -> [Incident] {
        try await identity.incidents(by: administrator, isOpen: isOpen, pattern: .linksGuessed)
      }
      func attack() async throws {
        for _ in 0..<10 { _ = try await failure { try await identity.ask(VerifyAccount.self, .init(token: "guess")) } }
      }
      try await attack()
      let first = try #require(try await list(isOpen: true).first)
      for comment in ["A test.", "Later."] {
        let closed = try await identity.ask(
          CloseIncident.self, .init(incidentID: first.id, comment: comment), by: .signedIn(administrator))
        #expect(!closed.isOpen && closed.comment == "A test." && closed.closedByAccountID == administrator.account.id)
      }
      #expect(try await list(isOpen: true).isEmpty)
      identity.time.advance(seconds: 7200)
      try await attack()
      identity.time.advance(seconds: 86_400)
      #expect(try await list(isOpen: true).isEmpty)
      #expect(try await list(isOpen: false).count == 2)
      #expect(try await list().first?.closedAt != nil)
      try await attack()
      #expect(try await list().map(\.isOpen) == [true, false, false])
      #expect(try await identity.securityEvents().filter { $0 == "incidentClosed" }.count == 1)
    }
  }

  @Test(
    "Administrators are notified of ten incidents of a pattern an hour; all are recorded, and others still reported")
  func flood() async throws {
    try await RunningIdentity.run { identity in
      let administrator = try await identity.administrator()
      try await identity.store.write { transaction in
        for number in 0..<30 {
          try IncidentStore.raise(IncidentFinding(.addressGuessing, count: 20), on: .address("198.51.100.\(number)"), transaction)
        }
      }
      // The appointment was reported before.
      #expect(try await identity.published(AdministratorAlerted.self).count == 1 + IncidentRules.maxNoticesPerHour)
      #expect(try await identity.incidents(by: administrator).count == 31)
      try await identity.store.write {
        try IncidentStore.raise(IncidentFinding(.riskyLogin, count: 1), on: .account(administrator.account.id), $0)
      }
      #expect(try await identity.published(AdministratorAlerted.self).count == 2 + IncidentRules.maxNoticesPerHour)
    }
  }

  @Test("Only administrators can read security events and incidents, and not former ones")
  func access() async throws {
    try await RunningIdentity.run { identity in
      let former = try await identity.administrator()
      try await identity.store.write { try $0.database.execute(sql: "UPDATE accounts SET is_administrator = 0") }
      try await identity.register()
      let account = try await identity.logIn()
      let id = IncidentID()
      for (caller, code) in [
        (Caller.person(), "unauthenticated"), (.signedIn(account), "forbidden"), (.signedIn(former), "forbidden"),
      ] {
        #expect(try await failure { try await identity.ask(ListSecurityEvents.self, .init(), by: caller) }.code == code)
        #expect(try await failure { try await identity.ask(ListIncidents.self, .init(), by: caller) }.code == code)
        #expect(try await failure { try await identity.ask(GetIncident.self, .init(incidentID: id), by: caller) }.code == code)
        #expect(try await failure { try await identity.ask(CloseIncident.self, .init(incidentID: id), by: caller) }.code == code)
        #expect(try await failure { try await identity.ask(ListSecurityReports.self, .init(), by: caller) }.code == code)
        #expect(
          try await failure { try await identity.ask(GetSecurityReport.self, .init(reportID: ID()), by: caller) }.code == code)
      }
    }
  }
}
