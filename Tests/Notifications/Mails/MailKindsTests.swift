import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("The kinds of mails (ID-8, ID-9, NOT-6)", .timeLimit(.minutes(1)))
final class MailKindsTests {
  let identity = IdentityDouble()
  let home = "/tmp/racha-mails-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func text(_ letter: Letter) -> String {
    // The soft line breaks of quoted-printable.
    String(decoding: letter.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
  }

  @Test("A recovery request mails its link, whose secret is stored nowhere (S 5, scenario 1)")
  func recovery() async throws {
    let ana = try identity.person("ana", language: .spanish)
    let event = PasswordRecoveryRequested(
      recoveryID: try identity.recovery(of: ana, token: MailWorkerTests.token), accountID: ana.account)
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: ["racha.publicUrl": "https://racha.example"]) {
      services in
      // Nobody's request makes no mail, and repeated events make no second one.
      try await services.publish(.identity, PasswordRecoveryRequested(recoveryID: ID(), accountID: nil), event, event)
      let letter = try await carrier.next(1)[0].letter
      #expect(letter.to.description == "ana@example.org")
      #expect(text(letter).contains("https://racha.example/recover?token=3D\(MailWorkerTests.token)"))
      #expect(Data(try services.storedBytes()).range(of: Data(MailWorkerTests.token.utf8)) == nil)
    }
    #expect(try states() == ["recovery delivered"])
  }

  @Test("A changed password is reported to its owner, with the time and the way to recover (S 5, scenario 3; S 7)")
  func passwordChanged() async throws {
    let ana = try identity.person("ana")
    let event = PasswordChanged(changeID: ID(), accountID: ana.account)
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: ["racha.publicUrl": "https://racha.example"]) {
      services in
      try await services.publish(.identity, event, event)
      let letter = try await carrier.next(1)[0].letter
      #expect(letter.to.description == "ana@example.org")
      let published = try #require(try await services.published(by: .identity).last).at.description
      #expect(text(letter).contains("\(published.prefix(10)) \(published.dropFirst(11).prefix(5)) UTC"))
      #expect(text(letter).contains("https://racha.example/recover\r\n"))
    }
    #expect(try states() == ["passwordChanged delivered"])
  }

  @Test(
    "A change of address mails the link to the new one, and notices with an undo link to the former one (ID-11)"
  )
  func emailChange() async throws {
    let ana = try identity.person("ana", language: .spanish)
    let change = try identity.emailChange(of: ana, token: MailWorkerTests.token)
    let undoing = "https://racha.example/undo-email-change?token=3D\(String(MailWorkerTests.token.reversed()))"
    let carrier = WatchedCarrier()
    let settings = ["racha.publicUrl": "https://racha.example", "racha.smtp.connections": "1"]
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: settings) { services in
      let event = EmailChangeRequested(changeID: change, accountID: ana.account)
      // Of an address that is taken identity knows no link.
      try await services.publish(.identity, EmailChangeRequested(changeID: ID(), accountID: ana.account), event, event)
      let letters = try await carrier.next(2).map(\.letter)
      let link = try #require(letters.first { $0.to.description == "ana@example.org" })
      #expect(text(link).contains("https://racha.example/change-email?token=3D\(MailWorkerTests.token)"))
      let asked = try #require(letters.first { $0.to.description == "ana@before.example" })
      #expect(text(asked).contains(undoing) && !text(asked).contains(MailWorkerTests.token))
      for secret in [MailWorkerTests.token, String(MailWorkerTests.token.reversed())] {
        #expect(Data(try services.storedBytes()).range(of: Data(secret.utf8)) == nil)
      }

      let done = EmailChanged(changeID: change, accountID: ana.account)
      try await services.publish(.identity, done, done)
      let notice = try await carrier.next(1)[0].letter
      #expect(notice.to.description == "ana@before.example" && text(notice).contains(undoing))
      #expect(!text(notice).contains(MailWorkerTests.token) && !text(notice).contains("example.org"))
    }
    #expect(
      try states() == [
        "emailChange obsolete", "emailChangeNotice obsolete", "emailChange delivered", "emailChangeNotice delivered",
        "emailChanged delivered",
      ])
  }

  @Test("An external identity that is linked or unlinked is reported to the account's owner (ID-10)")
  func identities() async throws {
    let ana = try identity.person("ana")
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: ["racha.smtp.connections": "1"]) { services in
      for isLinked in [true, false] {
        let event = IdentityLinkChanged(changeID: ID(), accountID: ana.account, isLinked: isLinked)
        try await services.publish(.identity, event, event)
        let letter = try await carrier.next(1)[0].letter
        #expect(letter.to.description == "ana@example.org")
        #expect(text(letter).contains(isLinked ? "was linked to" : "was unlinked from"))
      }
    }
    #expect(try states() == ["identityLinked delivered", "identityUnlinked delivered"])
  }

  @Test(
    "A new personal access token is reported to its owner with name, scopes and expiry, never its secret (ID-18)"
  )
  func tokens() async throws {
    let (ana, bea) = (try identity.person("ana"), try identity.person("bea", language: .spanish))
    let expiry = try Instant(text: "2027-01-02T03:04:05.000Z")
    let limited = try identity.personalAccessToken(of: ana, name: "www.evil.example", scopes: [.rewardsWrite], expiresAt: expiry)
    let endless = try identity.personalAccessToken(
      of: bea, name: "copia", scopes: [.activityRead, .socialRead], expiresAt: nil)
    let carrier = WatchedCarrier()
    let settings = ["racha.publicUrl": "https://racha.example", "racha.smtp.connections": "1"]
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: settings) { services in
      let event = PersonalAccessTokenCreated(tokenID: limited, accountID: ana.account, at: expiry)
      try await services.publish(.identity, event, event)
      let first = try await carrier.next(1)[0].letter
      #expect(first.to.description == "ana@example.org" && text(first).contains("https://racha.example/recover"))
      #expect(text(first).contains("Name: www. evil. example") && !text(first).contains("evil.example"))
      #expect(text(first).contains("until 2027-01-02 03:04 UTC") && text(first).contains("- to spend your coins"))
      #expect(!text(first).contains("- to read") && !text(first).contains(PersonalAccessTokenForm.prefix))
      try await services.publish(.identity, PersonalAccessTokenCreated(tokenID: endless, accountID: bea.account, at: expiry))
      let second = try await carrier.next(1)[0].letter
      #expect(second.to.description == "bea@example.org" && text(second).contains("Nombre: copia"))
      #expect(text(second).contains("Funciona hasta que se revoque") && text(second).contains("- leer tus amistades y mensajes"))
    }
    #expect(try states() == ["tokenCreated delivered", "tokenCreated delivered"])
  }

  @Test("A suspended account's owner is mailed the end, or that there is none, and a link that is stored nowhere (SOC-8)")
  func suspensions() async throws {
    let (ana, bea) = (try identity.person("ana"), try identity.person("bea", language: .spanish))
    let until = try Instant(text: "2027-01-02T03:04:05.000Z")
    let suspended = SuspensionLinkRequested(
      linkID: try identity.suspensionLink(of: ana, until: until, token: MailWorkerTests.token), accountID: ana.account)
    let banned = SuspensionLinkRequested(
      linkID: try identity.suspensionLink(of: bea, until: nil, token: String(MailWorkerTests.token.reversed())),
      accountID: bea.account)
    let carrier = WatchedCarrier()
    let settings = ["racha.publicUrl": "https://racha.example", "racha.smtp.connections": "1"]
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: settings) { services in
      try await services.publish(.identity, suspended, suspended)
      let first = try await carrier.next(1)[0].letter
      #expect(first.to.description == "ana@example.org" && text(first).contains("suspended until 2027-01-02 03:04 UTC"))
      #expect(text(first).contains("https://racha.example/suspension?token=3D\(MailWorkerTests.token)"))
      try await services.publish(.identity, banned)
      let second = try await carrier.next(1)[0].letter
      #expect(second.to.description == "bea@example.org" && text(second).contains("suspendida definitivamente"))
      #expect(Data(try services.storedBytes()).range(of: Data(MailWorkerTests.token.utf8)) == nil)
    }
    #expect(try states() == ["suspensionLink delivered", "suspensionLink delivered"])
  }

  @Test("No mail is sent to an erased account")
  func gone() async throws {
    let ana = try identity.person("ana")
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home, settings: ["racha.smtp.connections": "1"]) { services in
      try await services.publish(.identity, PasswordChanged(changeID: ID(), accountID: AccountID()))
      try await services.publish(.identity, PasswordChanged(changeID: ID(), accountID: ana.account))
      #expect(try await carrier.next(1)[0].letter.to.description == "ana@example.org")
    }
    #expect(try states() == ["passwordChanged obsolete", "passwordChanged delivered"])
  }

  @Test("A queue of mails from before kinds existed continues: waiting mails are sent, finished ones stay")
  func migration() async throws {
    let ana = try identity.person("ana")
    let link = try identity.link(of: ana, token: MailWorkerTests.token)
    let (waiting, delivered, dead) = (ID<Mail>(), ID<Mail>(), ID<Mail>())
    try Home.makePrivateFolder(Home(path: home).stores)
    let path = "\(Home(path: home).stores)/notifications.sqlite"
    let old = try Store(
      path: path, service: .notifications,
      migrations: [
        AccountsFeature(migrations: (table: 1, settings: 6, people: 12, enrollment: 14, everyone: 34)).migrations[0],
        InboxStore.migration(2),
        MailStore.migration(3),
      ],
      secret: try Home(path: home).secret("notifications.store"), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await old.write { transaction in
      for (mail, link, state, attempts, failure) in [
        (waiting, link, "waiting", 3, "connection"), (delivered, ID(), "delivered", 1, nil),
        (dead, ID(), "dead", 12, "rejected_550"),
      ] as [(ID<Mail>, VerificationLinkID, String, Int, String?)] {
        try transaction.database.execute(
          sql: """
            INSERT INTO mails (mail_id, account_id, link_id, state, attempts, next_at, failure, created_at, finished_at)
            VALUES (?, ?, ?, ?, ?, 5, ?, 1790000000000, ?)
            """,
          arguments: [mail, ana.account, link, state, attempts, failure, state == "waiting" ? nil : Instant.now])
      }
    }
    await old.close()

    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(identity, carrier, home: home) { _ in
      let letter = try await carrier.next(1)[0].letter
      #expect(letter.id == waiting && letter.createdAt == Instant(milliseconds: 1_790_000_000_000))
      #expect(text(letter).contains("/verify?token=3D\(MailWorkerTests.token)"))
    }
    #expect(
      try rows(["mail_id", "kind", "state", "attempts", "failure"]) == [
        "\(waiting) verification delivered 4 ", "\(delivered) verification delivered 1 ",
        "\(dead) verification dead 12 rejected_550",
      ])
  }

  private func states() throws -> [String] { try rows(["kind", "state"]) }

  /// The queue as a stopped service left it.
  private func rows(_ columns: [String]) throws -> [String] {
    let queue = try DatabaseQueue(path: "\(Home(path: home).stores)/notifications.sqlite")
    return try queue.read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM mails ORDER BY mail_id").map { row in
        columns.map { column in
          column == "mail_id" ? (row[column] as ID<Mail>).description : (row[column] as DatabaseValue).storage.text
        }.joined(separator: " ")
      }
    }
  }
}

extension DatabaseValue.Storage {
  fileprivate var text: String {
    switch self {
    case .string(let text): text
    case .int64(let number): String(number)
    case .null, .double, .blob: ""
    }
  }
}
