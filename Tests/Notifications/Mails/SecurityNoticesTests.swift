import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("Notices about the security of accounts (ID-7, ID-15, NOT-6)", .timeLimit(.minutes(1)))
final class SecurityNoticesTests {
  let identity = IdentityDouble()
  let at = Instant(milliseconds: 1_795_250_580_000)
  let words = Words(Contract.notifications.words)

  private func text(_ letter: Letter) -> String {
    // The soft line breaks of quoted-printable.
    String(decoding: letter.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
  }

  private func inbox(_ services: ServicesInProcess, of person: IdentityDouble.Account) async throws -> [NotificationsContract
    .Notification]
  {
    try await services.call(ListNotifications.self, .init(), as: person.caller).items
  }

  /// The kinds of mails that were written, oldest first.
  private func kinds(_ services: ServicesInProcess) async throws -> [String] {
    try await services.store(of: .notifications).read { try String.fetchAll($0, sql: "SELECT kind FROM mails ORDER BY mail_id") }
  }

  /// The words for the kind of mail that a letter is.
  private func subject(_ kind: String, _ language: Language) throws -> String {
    "\r\nSubject: \(EncodedWord.encode(try #require(words.text("mail.\(kind).subject", language))))\r\n"
  }

  @Test(
    "An unusual login is reported by notification, and by mail with device, place, both links and advice (S 6, scenario 4)",
    arguments: [
      (LoginAlertLevel.notice, "loginNoticed" as NotificationKind, "loginNoticed"),
      (.suspicious, "loginSuspicious", "loginSuspicious"), (.high, "loginRefused", "loginRefused"),
    ])
  func login(level: LoginAlertLevel, kind: NotificationKind, mail: String) async throws {
    let ana = try identity.person("ana", language: .spanish)
    let event = LoginAlertRaised(
      alertID: try identity.loginAlert(of: ana, token: MailWorkerTests.token), accountID: ana.account, level: level,
      device: "Firefox on Linux", place: "Tokyo, Japan", at: at)
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, settings: ["racha.publicUrl": "https://racha.example"]) { services in
      try await services.publish(.identity, event, event)
      let letter = try await carrier.next(1)[0].letter
      #expect(letter.to.description == "ana@example.org")
      #expect(try await kinds(services) == [mail])
      #expect(try String(decoding: letter.bytes, as: UTF8.self).contains(subject(mail, .spanish)))
      for answer in ["confirm", "close"] {
        #expect(text(letter).contains("https://racha.example/login-alert?token=3D\(MailWorkerTests.token)&answer=3D\(answer)"))
      }
      #expect(
        text(letter).contains(": Firefox on Linux\r\n") && text(letter).contains(": Tokyo, Japan\r\n")
          && text(letter).contains("2026-11-22 08:43 UTC"))
      #expect(text(letter).contains("contrase"))
      let inbox = try await inbox(services, of: ana)
      #expect(inbox.map(\.kind) == [kind])
      #expect(inbox[0].links.loginAlertID?.description == event.alertID.description)
      #expect(inbox[0].text.contains("Tokyo, Japan"))
      #expect(Data(try services.storedBytes()).range(of: Data(MailWorkerTests.token.utf8)) == nil)
    }
  }

  @Test("A verification is reported by a notification, live to every open session, and not by mail (S 8, scenario 1)")
  func verified() async throws {
    let ana = try identity.person("ana", language: .spanish)
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, settings: [:]) { services in
      let event = AccountVerified(accountID: ana.account, at: at)
      let locked = AccountProtected(incidentID: ID(), accountID: ana.account, pattern: .accountGuessed, at: at)
      try await services.publish(.identity, ana.event, event, event, locked)
      // The only mail is that of what came after it.
      #expect(try await carrier.next(1)[0].letter.bytes.count > 0)
      let inbox = try await inbox(services, of: ana).sorted { $0.number < $1.number }
      #expect(inbox.map(\.kind) == ["accountVerified", "accountLocked"])
      #expect(inbox[0].title == "Correo electrónico verificado")
    }
  }

  @Test("A protected account is reported by notification and by mail, with the way to recover (S 10, scenario 2)")
  func protected() async throws {
    let ana = try identity.person("ana")
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, settings: ["racha.publicUrl": "https://racha.example"]) { services in
      let (guessed, reused) = (IncidentID(), IncidentID())
      // Events of earlier versions name no measure; of one incident a graver measure is reported once more.
      let expected: [(IncidentID, IncidentPattern, IncidentMeasure?, String)] = [
        (guessed, .accountGuessed, nil, "locked"), (IncidentID(), .tokensReused, nil, "tokensReused"),
        (reused, .tokensReused, .sessionsClosed, "tokensReused"),
        (reused, .tokensReused, .everythingRevoked, "everythingRevoked"),
      ]
      // Nobody is notified of what is nobody's.
      try await services.publish(.identity, AccountProtected(incidentID: ID(), accountID: nil, pattern: .accountGuessed, at: at))
      for (incident, pattern, measure, kind) in expected {
        let event = AccountProtected(incidentID: incident, accountID: ana.account, pattern: pattern, measure: measure, at: at)
        try await services.publish(.identity, event, event)
        let letter = try await carrier.next(1)[0].letter
        #expect(text(letter).contains("https://racha.example/recover\r\n"))
        #expect(try String(decoding: letter.bytes, as: UTF8.self).contains(subject(kind, .english)))
      }
      #expect(try await kinds(services) == expected.map(\.3))
      #expect(
        try await inbox(services, of: ana).map(\.kind) == ["everythingRevoked", "tokensReused", "tokensReused", "accountLocked"])
    }
  }

  @Test("A critical incident is reported to administrators by notification and mail, a report by mail (S 10, scenarios 1 and 3)")
  func administrator() async throws {
    let ana = try identity.person("ana")
    let mail = try identity.securityMail(
      to: ana, title: "One address tries many accounts", lines: ["Severity: critical", "Address: 192.0.2.7"],
      recommendations: ["Block the address."])
    let report = try identity.securityMail(
      to: ana, title: "Security report of 2026-11-21", lines: ["Incidents: 0"], recommendations: [])
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier) { services in
      let alerted = AdministratorAlerted(
        mailID: mail, accountID: ana.account, incidentID: ID(), title: "One address tries many accounts", at: at)
      try await services.publish(.identity, alerted, alerted)
      let letter = text(try await carrier.next(1)[0].letter)
      #expect(letter.contains("There is a critical incident: One address tries many accounts."))
      #expect(letter.contains("- Severity: critical\r\n- Address: 192.0.2.7\r\n") && letter.contains("- Block the address.\r\n"))
      #expect(letter.contains("<li>Block the address.</li>"))
      try await services.publish(.identity, SecurityReportReady(mailID: report, accountID: ana.account))
      #expect(try await text(carrier.next(1)[0].letter).contains("Security report of 2026-11-21"))
      let inbox = try await inbox(services, of: ana)
      #expect(inbox.map(\.kind) == ["incidentRaised"])
      #expect(inbox[0].links.incidentID?.description == alerted.incidentID.description)
    }
  }
}
