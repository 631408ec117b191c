import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import NotificationsContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import NotificationsService

@Suite("Erasing an account's notifications and mails (ID-12)", .timeLimit(.minutes(1)))
final class ErasureTests {
  let identity = IdentityDouble()
  let home = "/tmp/racha-erase-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  /// Stands in for social: it only publishes.
  private static let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }

  private func run(rowsPerTransaction: Int, _ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running(
      [Self.social, { try Notifications.service($0) }], identity: identity,
      settings: ["racha.email.reportRetentionSeconds": "0", "racha.erasure.rowsPerTransaction": "\(rowsPerTransaction)"], at: nil,
      home: home, body)
  }

  private func mails() -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: "\(home)/mails").sorted() } catch { return [] }
  }

  @Test(
    "Erasing an account removes its inbox, mails, files and notifications of others about it, at once or in steps",
    arguments: [500, 1])
  func everyTable(rowsPerTransaction: Int) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await run(rowsPerTransaction: rowsPerTransaction) { services in
      let store = services.store(of: .notifications)
      try await services.hasReceived(.notifications, of: .identity)
      try await services.hasReceived(.notifications, of: .social)
      func sent(_ from: IdentityDouble.Account, _ to: IdentityDouble.Account) throws -> MessageSent {
        MessageSent(
          messageID: ID(), conversationID: ID(), fromAccountID: from.account, fromUsername: from.username,
          toAccountID: to.account, text: try ChatText(text: "PLANTED by \(from.username)"), at: .now)
      }
      try await services.publish(.identity, ana.event, ben.event)
      try await services.publish(.social, try sent(ana, ben), try sent(ben, ana), try sent(ana, ben), try sent(ana, ana))
      for person in [ana, ben] {
        try await services.publish(.identity, PasswordChanged(changeID: ID(), accountID: person.account))
      }
      try await store.until { self.mails().count { !$0.hasPrefix(".") } == 2 }
      try await store.until { try await store.rows("notifications") == 4 }
      // A process that was killed while it wrote left this beside.
      let anas = try mails().first {
        String(decoding: try Data(contentsOf: URL(filePath: "\(home)/mails/\($0)")), as: UTF8.self).contains("ana@")
      }
      let part = "\(home)/mails/.\(try #require(anas)).part"
      #expect(FileManager.default.createFile(atPath: part, contents: Data("ana@example.org".utf8)))

      let deletion = AccountDeletionID()
      try await services.publish(.identity, AccountDeleted(deletionID: deletion, accountID: ana.account, at: .now))
      try await store.until { try await store.rows("mails") == 1 }
      #expect(try await store.traces(of: ana.account) == [])
      #expect(
        try await store.erasedCounts(of: ana.account) == [
          "profiles 1", "blocks 0", "notifications 6", "mails 1", "notificationChoices 0", "deliveries 3", "pushSubscriptions 0",
          "events 4",
        ])
      #expect(mails().count == 1)
      #expect(
        String(decoding: try Data(contentsOf: URL(filePath: "\(home)/mails/\(mails()[0])")), as: UTF8.self).contains("ben@"))
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller).unreadCount == 0)
      #expect(try await services.call(ListNotifications.self, .init(), as: ben.caller).items.isEmpty)

      // What comes late has no effect.
      try await services.publish(.social, try sent(ana, ben), try sent(ben, ana))
      try await services.publish(.identity, ana.event, PasswordChanged(changeID: ID(), accountID: ana.account))
      try await services.publish(.social, try sent(ben, ben))
      try await services.publish(.identity, PasswordChanged(changeID: ID(), accountID: ben.account))
      try await store.until { self.mails().count == 2 }
      try await store.until { try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller).unreadCount == 1 }
      #expect(try await store.traces(of: ana.account) == [])
      try await store.clean()
      for file in try FileManager.default.contentsOfDirectory(atPath: "\(home)/stores") where file.hasPrefix("notifications") {
        let data = try Data(contentsOf: URL(filePath: "\(home)/stores/\(file)"))
        #expect(data.range(of: Data("PLANTED by ana".utf8)) == nil, "\(file)")
      }
    }
  }

  @Test("Notifications caused by a deleted account are hidden at once, even while they are erased in steps")
  func meanwhile() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await run(rowsPerTransaction: 500) { services in
      let store = services.store(of: .notifications)
      try await services.hasReceived(.notifications, of: .identity)
      try await services.hasReceived(.notifications, of: .social)
      try await services.publish(.identity, ana.event, ben.event)
      let sent = MessageSent(
        messageID: ID(), conversationID: ID(), fromAccountID: ana.account, fromUsername: ana.username,
        toAccountID: ben.account, text: try ChatText(text: "Hello"), at: .now)
      try await services.publish(.social, sent)
      try await store.until { try await store.rows("notifications") == 1 }
      #expect(try await services.call(ListNotifications.self, .init(), as: ben.caller).items.count == 1)
      let account = ana.account
      // As it is before the first step.
      try await store.write { try $0.noteErasure(of: account, by: ID<Never>(), counts: #"{"counts":[]}"#) }
      #expect(try await services.call(ListNotifications.self, .init(), as: ben.caller).items.isEmpty)
    }
  }
}
