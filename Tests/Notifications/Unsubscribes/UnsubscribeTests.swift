import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import NotificationsService

@Suite("Unsubscribe links of mails (RFC 8058, NOT-4)", .timeLimit(.minutes(1)))
struct UnsubscribeTests {
  private let identity = IdentityDouble()
  private let links = UnsubscribeLinks(secret: Array(repeating: 7, count: 32))

  @Test("An unsubscribe token names account and mails, for every kind of optional mail, and stays short")
  func tokens() throws {
    let account = AccountID()
    let scopes = NotificationSpec.all.map { UnsubscribeScope.kind($0.name) }.filter { !$0.kinds.isEmpty } + [.all]
    #expect(scopes.count > 30)
    for scope in scopes {
      let token = links.token(scope, of: account)
      let found = try #require(links.read(token))
      #expect(found.account == account && found.scope == scope && token.utf8.count <= 130)
    }
  }

  @Test("An unsubscribe token that is changed, truncated, of another key or for required mails is refused")
  func forged() throws {
    let token = links.token(.kind("taskEnrolled"), of: AccountID())
    let bytes = try #require(Base64URL.decode(token))
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      #expect(links.read(Base64URL.encode(changed)) == nil)
      #expect(links.read(Base64URL.encode(Array(bytes.prefix(index)))) == nil)
    }
    #expect(links.read(token + "A") == nil && links.read("") == nil && links.read("ñ") == nil)
    #expect(UnsubscribeLinks(secret: Array(repeating: 8, count: 32)).read(token) == nil)
    for kind in ["verification", "recovery", "loginRefused", "accountDeleted", "nothing"] {
      #expect(links.read(links.token(.kind(kind), of: AccountID())) == nil, "\(kind)")
    }
  }

  private func run(_ carrier: WatchedCarrier, _ body: (ServicesInProcess) async throws -> Void) async throws {
    let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }
    try await ServicesInProcess.mails(
      identity, carrier, and: [social], settings: ["racha.publicUrl": "https://racha.example"], body)
  }

  private func text(_ letter: Letter) -> String { String(decoding: letter.bytes, as: UTF8.self) }

  private func link(_ letter: Letter) throws -> String {
    let start = try #require(text(letter).range(of: "List-Unsubscribe:\r\n <https://racha.example/unsubscribe?token="))
    return String(text(letter)[start.upperBound...].prefix { $0 != ">" })
  }

  private func enrolled(_ account: AccountID) throws -> TaskNoticeCreated {
    TaskNoticeCreated(
      noticeID: ID(), accountID: account, taskID: ID(), taskName: try TaskName(text: "Paint"), notice: .enrolled,
      byAccountID: AccountID(), byUsername: try Username(text: "ben"), at: .now)
  }

  @Test("One click on an unsubscribe link ends that kind of mail without login, repeatably, and not inbox or other mails")
  func oneClick() async throws {
    let carrier = WatchedCarrier()
    try await run(carrier) { services in
      let ana = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      _ = try await ana.send(UpdateNotificationPreferences.self, .init(choices: [.init(category: .tasks, .email, isOn: true)]))
      try await services.publish(.social, try enrolled(ana.id))
      let letter = try await carrier.next(1)[0].letter
      #expect(text(letter).contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"))
      #expect(text(letter).contains("\r\nReferences: <task-"))
      let token = try link(letter)
      let nobody = Person(bus: services.gateway, caller: Caller(kind: .anonymous))
      let before = try await nobody.send(GetUnsubscribe.self, .init(token: token))
      #expect(before.name == "New task" && !before.isOff)
      for _ in 1...2 { #expect(try await nobody.send(CreateUnsubscribe.self, .init(token: token)).isOff) }
      #expect(try await nobody.send(GetUnsubscribe.self, .init(token: token)).isOff)
      let items = try await ana.send(GetNotificationPreferences.self, .init()).items
      #expect(items.first { $0.kind == "taskEnrolled" }?.email == .off && items.first { $0.kind == "taskEnrolled" }?.inbox == .on)
      #expect(items.first { $0.kind == "taskRemoved" }?.email == .on)
      try await services.publish(.social, try enrolled(ana.id))
      try await services.hasReceived(.notifications, of: .social)
      let log = try await ana.send(ListDeliveries.self, .init(channel: .email)).items
      #expect(log.first?.state == .silent && log.first?.reason == "switched_off")
      #expect(try await nobody.failure(CreateUnsubscribe.self, .init(token: "nothing")) == "unsubscribe_link_invalid")
      // Nothing is kept for an account that is gone.
      try await services.delete(ana, receivedBy: .notifications)
      #expect(try await nobody.failure(CreateUnsubscribe.self, .init(token: token)) == "unsubscribe_link_invalid")
    }
  }

  @Test("Required mails of security, verification, recovery and deletion have no unsubscribe link")
  func required() async throws {
    let carrier = WatchedCarrier()
    let ana = try identity.person("ana")
    let recovery = try identity.recovery(of: ana, token: MailWorkerTests.token)
    try await run(carrier) { services in
      try await services.publish(
        .identity, PasswordChanged(changeID: ID(), accountID: ana.account),
        PasswordRecoveryRequested(recoveryID: recovery, accountID: ana.account))
      for journey in try await carrier.next(2) { #expect(!text(journey.letter).contains("nsubscribe")) }
    }
  }
}
