import Foundation
import GRDB
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import NotificationsService

/// A block takes effect in the store without waking the worker, so that what is asked then is asked while the notifications are there still.
@Suite("Blocking an account that many notifications name (SOC-8)")
struct BlockedNotificationTests {
  private static let count = 600

  /// Fills an inbox: of three, one names the first, one the second, one nobody. One of two is read.
  private func fill(_ services: ServicesInProcess, _ person: Person, naming others: [AccountID]) async throws {
    // Old ones that are read would go.
    let now = services.clock.now
    try await services.store(of: .notifications).write { transaction in
      try transaction.database.execute(
        sql: "INSERT INTO inboxes (account_id, last_number) VALUES (?1, ?2)",
        arguments: [person.id, Self.count])
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
          INSERT INTO notifications (notification_id, account_id, number, kind, category, content, source, created_at, read_at)
          SELECT randomblob(16), ?1, i, iif(i % 3, 'taskHelpRequested', 'coinsEarned'), iif(i % 3, 'help', 'rewards'),
            '{"parameters":{},"links":{}}', 'x/' || i, ?3, iif(i % 2, NULL, ?3)
          FROM n
          """, arguments: [person.id, Self.count, now])
      for (index, other) in others.enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO notification_accounts (notification_id, account_id)
            SELECT notification_id, ? FROM notifications WHERE account_id = ? AND number % 3 = ?
            """, arguments: [other, person.id, index + 1])
      }
    }
  }

  /// Has mails wait until then that stand in no inbox and name another.
  private static func keep(
    _ count: Int, until end: Instant, of account: AccountID, naming other: AccountID, _ transaction: Transaction
  ) throws -> [ID<NotificationDelivery>] {
    try (0..<count).map { _ in
      let id = ID<NotificationDelivery>()
      let item = InboxItem(
        kind: "taskHelpRequested", content: NotificationContent(parameters: [:], links: NotificationLinks()), source: "y/\(id)",
        accounts: [other])
      let delivery = Delivery(
        id: id, account: account, channel: .email, kind: "taskHelpRequested", source: item.source, subject: ID(),
        notification: nil, createdAt: transaction.now)
      try DeliveryStore.add(delivery, .held(until: end, .unread), keeping: item, transaction)
      return id
    }
  }

  private static func states(of account: AccountID, in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT state || ' ' || reason || ' ' || count(*) FROM deliveries WHERE account_id = ? GROUP BY state, reason ORDER BY state
        """, arguments: [account])
  }

  private static func isBegun(_ account: AccountID, in database: Database) throws -> Bool {
    try Row.fetchOne(database, sql: "SELECT 1 FROM blocked_deliveries WHERE account_id = ?", arguments: [account]) != nil
  }

  private func seen(_ person: Person) async throws -> [String] {
    var seen: [String] = []
    for unread in [nil, true, false] as [Bool?] {
      var input = ListNotifications.Input(isUnread: unread, limit: 100)
      while true {
        let page = try await person.send(ListNotifications.self, input)
        seen += page.items.map { "\(String(describing: unread)) \($0.number)" }
        guard let next = page.nextCursor else { break }
        input.cursor = next
      }
    }
    let counts = try await person.send(CountUnreadNotifications.self, .init())
    seen.append("\(counts.unreadCount) \(counts.byCategory.map { "\($0.category) \($0.unreadCount)" })")
    let since = try await person.send(ListNotificationsSince.self, .init(after: 0, limit: 500))
    return seen + since.items.map { "since \($0.number)" }
  }

  @Test("Notifications naming a blocked account are hidden from a large inbox at once, while they are removed in steps")
  func hidden() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      try await fill(services, ana, naming: [ben.id, eva.id])
      let store = services.store(of: .notifications)
      #expect(try await store.write { try BlockedNotificationStore.begin(ana.id, from: ben.id, $0) })
      let first = try await seen(ana)
      #expect(first.count { $0.hasPrefix("nil ") } == 400 && first.count { $0.hasPrefix("Optional(true) ") } == 200)
      #expect(first.contains("200 [\"help 100\", \"rewards 100\"]"))
      for limit in [100, 333] {
        try await store.write { try BlockedNotificationStore.delete(from: ana.id, limit: limit, $0) }
        #expect(try await seen(ana) == first)
      }
      // What comes once the block has ended stays.
      try await store.write { transaction in
        let item = InboxItem(
          kind: "taskHelpRequested", content: NotificationContent(parameters: [:], links: NotificationLinks()), source: "later",
          accounts: [ben.id])
        _ = try InboxStore.add(item, to: ana.id, .english, transaction)
      }
      try await store.write { try BlockedNotificationStore.delete(from: ana.id, limit: 500, $0) }
      #expect(try await store.rows("blocked_notifications") == 0)
      #expect(try await ana.send(ListNotifications.self, .init(limit: 1)).items.map(\.number) == [Self.count + 1])
      #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 201)
      let kept = try await store.read {
        try Int.fetchOne($0, sql: "SELECT sum(count) FROM unread_counts WHERE account_id = ?", arguments: [ana.id])
      }
      #expect(kept == 201)
      let named = try await store.read { database in
        try [ben.id, eva.id].map {
          try Int.fetchOne(database, sql: "SELECT count(*) FROM notification_accounts WHERE account_id = ?", arguments: [$0]) ?? 0
        }
      }
      #expect(named == [1, 200])
      // A client that was away learns what went, whenever it went.
      var (removed, change) = (Set<Int>(), 0)
      while true {
        let page = try await ana.send(ListNotificationsSince.self, .init(after: Self.count, changesAfter: change, limit: 50))
        guard page.lastChange != change else { break }
        removed.formUnion(page.removed)
        change = page.lastChange
      }
      #expect(removed.count == 200 && removed.allSatisfy { $0 % 3 == 1 })
      // Whoever is connected was told the same.
      let live = try await services.published(by: .notifications).filter { $0.name == NotificationRemoved.spec.name }
        .map { try NotificationRemoved.decode($0.body).number }
      #expect(live.count == 200 && Set(live) == removed)
    }
  }

  @Test(
    "Held and queued notifications naming a blocked account are not mailed or pushed, even before they are removed")
  func unsent() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      try await services.hasReceived(.notifications, of: .identity)
      _ = try await ana.send(UpdateNotificationPreferences.self, .init(choices: [.init(category: .help, .email, isOn: true)]))
      try await fill(services, ana, naming: [ben.id, eva.id])
      let mail = ID<Mail>()
      let dispatch = DeliveryDispatch(
        quietHours: QuietHoursStore(zones: TimeZones()), routes: [MailRoute(signal: WakeSignal())], signal: WakeSignal())
      let (held, said, inMail) = try await services.store(of: .notifications).write { transaction in
        let database = transaction.database
        _ = try BlockedNotificationStore.begin(ana.id, from: ben.id, transaction)
        func delivery(_ number: Int, _ channel: NotificationChannel) throws -> Delivery {
          let notification = try ID<NotificationsContract.Notification>.fetchOne(
            database, sql: "SELECT notification_id FROM notifications WHERE account_id = ? AND number = ?",
            arguments: [ana.id, number])
          return Delivery(
            id: ID(), account: ana.id, channel: channel, kind: "taskHelpRequested", source: "x/\(number)", subject: ID(),
            notification: notification, createdAt: transaction.now)
        }
        // The first names Ben, the second Eva; neither was read.
        for number in [1, 5] {
          try DeliveryStore.add(try delivery(number, .email), .held(until: transaction.now, .unread), transaction)
        }
        try dispatch.release(.init(account: ana.id, channel: .email), transaction)
        let held = try String.fetchAll(
          database, sql: "SELECT source || ' ' || state || ' ' || coalesce(reason, '') FROM deliveries ORDER BY source")
        let queued = try [1, 5].map { try delivery($0, .push) }
        for delivery in queued {
          try DeliveryStore.add(delivery, .queued, transaction)
          try DeliveryStore.carry(delivery, by: mail, transaction)
        }
        return (
          held, try queued.map { try DeliveryStore.content(of: $0.id, ana.id, in: database) != nil },
          try DeliveryStore.contents(ofMail: mail, to: ana.id, at: transaction.now, limit: 10, in: database).count
        )
      }
      #expect(held == ["x/1 silent withdrawn", "x/5 queued "])
      #expect(said == [false, true] && inMail == 1)
    }
  }

  @Test(
    "Of what waits and names a blocked account, none is sent and few end at once; what comes after the block goes",
    arguments: [true, false])
  func kept(isReleased: Bool) async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let dispatch = DeliveryDispatch(
        quietHours: QuietHoursStore(zones: TimeZones()), routes: [MailRoute(signal: WakeSignal())], signal: WakeSignal())
      var begins: [Int] = []
      for count in [700, 3_000] {
        let (begin, most, said, states) = try await services.store(of: .notifications).write { transaction in
          let (database, now, account, other) = (transaction.database, transaction.now, AccountID(), AccountID())
          let kept = try Self.keep(count, until: now, of: account, naming: other, transaction)
          let filled = database.totalChangesCount
          #expect(try BlockedDeliveryStore.begin(account, from: other, transaction))
          let begin = database.totalChangesCount - filled
          // The block has ended.
          let later = try Self.keep(1, until: now.adding(seconds: 86_400), of: account, naming: other, transaction)
          var said: [Bool] = []
          for id in [kept[count - 1], later[0]] { said.append(try DeliveryStore.content(of: id, account, in: database) != nil) }
          if isReleased { try dispatch.release(.init(account: account, channel: .email), transaction) }
          var most = 0
          while try Self.isBegun(account, in: database) {
            let before = database.totalChangesCount
            try BlockedDeliveryStore.end(of: account, limit: BlockedDeliveryStore.rowsAtOnce, transaction)
            most = max(most, database.totalChangesCount - before)
          }
          return (begin, most, said, try Self.states(of: account, in: database))
        }
        begins.append(begin)
        #expect(said == [false, true] && states == ["held unread 1", "silent withdrawn \(count)"])
        // Each with its name and the day's figures; and the row of the block.
        #expect(most <= 3 * BlockedDeliveryStore.rowsAtOnce + 2)
      }
      #expect(begins[0] == begins[1])
    }
  }

  @Test("A block of an account that few deliveries name leaves nothing to the worker")
  func few() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (isBegun, states) = try await services.store(of: .notifications).write { transaction in
        let (account, other) = (AccountID(), AccountID())
        _ = try Self.keep(200, until: transaction.now, of: account, naming: other, transaction)
        let isBegun = try BlockedDeliveryStore.begin(account, from: other, transaction)
        return (isBegun, try Self.states(of: account, in: transaction.database))
      }
      #expect(!isBegun && states == ["silent withdrawn 200"])
    }
  }

  @Test("A block ends all that waits and names the blocked account, also where that is left to the worker")
  func ended() async throws {
    let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }
    try await ServicesInProcess.running([social, { try Notifications.service($0) }]) { services in
      let (store, account, other) = (services.store(of: .notifications), AccountID(), AccountID())
      let later = services.clock.now.adding(seconds: 86_400)
      try await services.hasReceived(.notifications, of: .social)
      try await store.write { _ = try Self.keep(500, until: later, of: account, naming: other, $0) }
      try await services.publish(
        .social,
        RelationChanged(
          accountID: account, otherAccountID: other, relation: Relation(isBlocked: true), isBlockedByOther: false, revision: 1,
          at: .now))
      try await services.hasReceived(.notifications, of: .social)
      try await store.until { try await store.rows("blocked_deliveries") == 0 }
      #expect(try await store.read { try Self.states(of: account, in: $0) } == ["silent withdrawn 500"])
    }
  }

  @Test("An account that has blocked 1,000 others at once still gets lists, counts and what waits, without what names them")
  func many() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      try await fill(services, ana, naming: [ben.id, eva.id])
      let dispatch = DeliveryDispatch(
        quietHours: QuietHoursStore(zones: TimeZones()), routes: [MailRoute(signal: WakeSignal())], signal: WakeSignal())
      let (said, inMail, isWithdrawn) = try await services.store(of: .notifications).write { transaction in
        let (database, now) = (transaction.database, transaction.now)
        let kept = try [ben.id, eva.id].flatMap { try Self.keep(1, until: now, of: ana.id, naming: $0, transaction) }
        // The last of them is Ben.
        try database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO blocked_notifications (account_id, other_account, after, through)
            SELECT ?1, iif(i < 1000, randomblob(16), ?2), 0, ?3 FROM n
            """, arguments: [ana.id, ben.id, Self.count])
        try database.execute(
          sql: """
            INSERT INTO blocked_deliveries (account_id, other_account, last_delivery)
            SELECT account_id, other_account, ? FROM blocked_notifications
            """, arguments: [kept[1]])
        let said = try kept.map { try DeliveryStore.content(of: $0, ana.id, in: database) != nil }
        let mail = ID<Mail>()
        try database.execute(
          sql: "UPDATE deliveries SET state = 'queued', not_before = NULL, mail_id = ?", arguments: [mail])
        let inMail = try DeliveryStore.contents(ofMail: mail, to: ana.id, at: now, limit: 10, in: database).count
        try database.execute(sql: "UPDATE deliveries SET state = 'held', not_before = ?, mail_id = NULL", arguments: [now])
        try dispatch.release(.init(account: ana.id, channel: .email), transaction)
        let isWithdrawn = try kept.map {
          try String.fetchOne(database, sql: "SELECT reason FROM deliveries WHERE delivery_id = ?", arguments: [$0])
            == SilenceReason.withdrawn.rawValue
        }
        return (said, inMail, isWithdrawn)
      }
      #expect(said == [false, true] && inMail == 1 && isWithdrawn == [true, false])
      let seen = try await seen(ana)
      #expect(seen.count { $0.hasPrefix("nil ") } == 400 && seen.count { $0.hasPrefix("since ") } == 400)
      #expect(seen.contains("200 [\"help 100\", \"rewards 100\"]"))
    }
  }
}
