import Foundation
import GRDB
import IdentityContract
import InMemoryBus
import InProcess
import Logging
import NotificationsContract
import Operations
import SocialContract
import Storage
import Testing

@testable import NotificationsService
@testable import ServiceKit

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

  @Test("What others' deliveries keep that names an erased account ends a few at a time, and so do the account's mails")
  func parts() async throws {
    try await run(rowsPerTransaction: 500) { services in
      let (store, account) = (services.store(of: .notifications), AccountID())
      let dispatch = DeliveryDispatch(quietHours: QuietHoursStore(zones: TimeZones()), routes: [], signal: WakeSignal())
      let environment = ServiceEnvironment(
        settings: Settings([:]), home: Home(path: "/nonexistent"), bus: MemoryBus(.notifications, on: MemoryExchange()),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let feature = DeliveryFeature(
        environment: environment, settings: DeliverySettings(environment.settings), dispatch: dispatch)
      let erasure = Erasure(feature.tables, rowsPerTransaction: 50)
      // In one transaction: the service's own worker may go on with it at once.
      let (changes, left) = try await store.write { transaction in
        let database = transaction.database
        for number in 0..<300 {
          let item = InboxItem(
            kind: "taskHelpRequested", content: NotificationContent(parameters: [:], links: NotificationLinks()),
            source: "x/\(number)", accounts: [account])
          let delivery = Delivery(
            id: ID(), account: AccountID(), channel: .email, kind: "taskHelpRequested", source: item.source, subject: ID(),
            notification: nil, createdAt: transaction.now)
          let end = transaction.now.adding(seconds: 86_400)
          try DeliveryStore.add(delivery, .held(until: end, .quietHours), keeping: item, transaction)
        }
        try erasure.begin(account, ID(), transaction)
        let position = Erasure.Position()
        var (changes, hasMore): ([Int], Bool) = ([], true)
        while hasMore {
          let before = database.totalChangesCount
          hasMore = try erasure.step(account, rows: 50, from: position, transaction)
          changes.append(database.totalChangesCount - before)
        }
        let left = try Int.fetchOne(
          database, sql: "SELECT count(*) FROM deliveries WHERE state <> 'silent' OR content IS NOT NULL")
        return (changes, left)
      }
      #expect(changes.count > 6 && changes.allSatisfy { $0 <= 110 }, "\(changes)")
      #expect(try await store.rows("delivery_accounts") == 0 && left == 0)

      let person = AccountID()
      let (ended, removed, mails) = try await store.write { transaction in
        for _ in 0..<12 {
          _ = try MailStore.add(MailDraft(spec: .digest, subject: ID()), to: person, at: transaction.now, transaction)
        }
        var (ended, last): ([Bool], ID<Mail>) = ([], .placeholder)
        for _ in 0..<3 {
          let end = try MailStore.endWaiting(of: person, after: last, limit: 5, transaction)
          (ended, last) = (ended + [end != nil], end ?? last)
        }
        let removed = try (0..<3).map { _ in try MailStore.removeEnded(of: person, limit: 5, transaction) }
        return (ended, removed, try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM mails"))
      }
      #expect(ended == [true, true, false] && removed == ended && mails == 0)
    }
  }

  @Test("What others' deliveries keep that names an erased account counts the same, at once or in steps", arguments: [500, 10])
  func figures(rowsPerTransaction: Int) async throws {
    try await run(rowsPerTransaction: 500) { services in
      let account = AccountID()
      let tables: [ErasedTable] = [
        .changed(
          "delivery_accounts", "named_account = :account", .deliveries, inSteps: DeliveryStore.erasedContents,
          DeliveryStore.erasedCompanions, DeliveryStore.erasedNames)
      ]
      let erasure = Erasure(tables, rowsPerTransaction: rowsPerTransaction)
      let (steps, count, names) = try await services.store(of: .notifications).write { transaction in
        let database = transaction.database
        for number in 0..<60 {
          try Self.keep("x/\(number)", of: AccountID(), naming: [account, AccountID(), AccountID()], transaction)
        }
        try erasure.begin(account, ID(), transaction)
        let position = Erasure.Position()
        var steps = 1
        while try erasure.step(account, rows: 10, from: position, transaction) { steps += 1 }
        let counts = try database.erasure(of: account)?.erasureCounts() ?? []
        let names = try Int.fetchOne(database, sql: "SELECT count(*) FROM delivery_accounts")
        return (steps, counts.first { $0.kind == .deliveries }?.count, names)
      }
      #expect((steps > 6) == (rowsPerTransaction == 10) && count == 60 && names == 0)
    }
  }

  @Test("To end an erased account's mails, each is looked at once, however many there are")
  func mailSteps() async throws {
    try await run(rowsPerTransaction: 500) { services in
      let (ended, states) = try await services.store(of: .notifications).write { transaction in
        let (database, person) = (transaction.database, AccountID())
        let mails = try (0..<60).compactMap { _ in
          try MailStore.add(MailDraft(spec: .digest, subject: ID()), to: person, at: transaction.now, transaction)
        }
        // The first of them wait no longer.
        for mail in mails.prefix(40) {
          try database.execute(
            sql: "UPDATE mails SET state = 'delivered', finished_at = ? WHERE mail_id = ?", arguments: [transaction.now, mail])
        }
        var (ended, last): ([Int], ID<Mail>?) = ([], ID<Mail>.placeholder)
        while let first = last {
          last = try MailStore.endWaiting(of: person, after: first, limit: 20, transaction)
          ended.append(try Int.fetchOne(database, sql: "SELECT count(*) FROM mails WHERE state = 'obsolete'") ?? 0)
        }
        let states = try String.fetchAll(database, sql: "SELECT DISTINCT state FROM mails ORDER BY state")
        try database.execute(sql: "DELETE FROM mails")
        return (ended, states)
      }
      #expect(ended == [0, 0, 20, 20] && states == ["delivered", "obsolete"])
    }
  }

  /// Has a mail wait that stands in no inbox.
  @discardableResult
  private static func keep(
    _ source: String, of account: AccountID, naming others: Set<AccountID>, _ transaction: Transaction
  ) throws -> Delivery {
    let item = InboxItem(
      kind: "taskHelpRequested", content: NotificationContent(parameters: [:], links: NotificationLinks()), source: source,
      accounts: others)
    let delivery = Delivery(
      id: ID(), account: account, channel: .email, kind: "taskHelpRequested", source: source, subject: ID(), notification: nil,
      createdAt: transaction.now)
    try DeliveryStore.add(delivery, .held(until: transaction.now, .unread), keeping: item, transaction)
    return delivery
  }

  @Test("What waits out of an inbox and names an account that is being erased is not sent, also while it is erased in steps")
  func unsent() async throws {
    try await run(rowsPerTransaction: 500) { services in
      let dispatch = DeliveryDispatch(
        quietHours: QuietHoursStore(zones: TimeZones()), routes: [MailRoute(signal: WakeSignal())], signal: WakeSignal())
      let (states, said, inMail) = try await services.store(of: .notifications).write { transaction in
        let (database, now, reader) = (transaction.database, transaction.now, AccountID())
        let (erased, other, mail) = (AccountID(), AccountID(), ID<Mail>())
        try transaction.noteErasure(of: erased, by: ID<Never>(), counts: #"{"counts":[]}"#)
        let held = try [erased, other].map { try Self.keep("x/\($0)", of: reader, naming: [$0], transaction) }
        let said = try held.map { try DeliveryStore.content(of: $0.id, reader, in: database) != nil }
        for delivery in held { try DeliveryStore.carry(delivery, by: mail, transaction) }
        try database.execute(sql: "UPDATE deliveries SET state = 'queued', not_before = NULL")
        let inMail = try DeliveryStore.contents(ofMail: mail, to: reader, at: now, limit: 10, in: database).count
        try database.execute(sql: "UPDATE deliveries SET state = 'held', not_before = ?", arguments: [now])
        try dispatch.release(.init(account: reader, channel: .email), transaction)
        let states = try held.map {
          try String.fetchOne(database, sql: "SELECT reason FROM deliveries WHERE delivery_id = ?", arguments: [$0.id])
        }
        return (states, said, inMail)
      }
      // Nobody has chosen mails of the other.
      #expect(states == ["withdrawn", "switched_off"] && said == [false, true] && inMail == 1)
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
