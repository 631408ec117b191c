import GRDB
import InProcess
import NotificationsContract
import Operations
import Storage
import Testing

@testable import NotificationsService
@testable import ServiceKit

@Suite("The speed of the lists of notifications and deliveries (NOT-1, NOT-5)", .timeLimit(.minutes(2)))
struct ListSpeedTests {
  private static let counts = [3_000, 30_000]
  /// How many pages look through so many rows and the ten that are looked for.
  private static func pages(_ count: Int) -> Int { (count + 10) / 2_000 + 1 }

  private func run(settings: [String: String] = [:], _ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }], settings: settings) { services in
      try await services.hasReceived(.notifications, of: .identity)
      try await body(services)
    }
  }

  private static let page = PageRequest(limit: 50, lastKey: nil) { _ in .placeholder }

  /// Fills an inbox: ten of help that were read, then as many of rewards that were not, then as many that were deleted.
  private func notify(_ services: ServicesInProcess, _ person: Person, _ count: Int) async throws {
    let (account, now) = (person.id, services.clock.now)
    try await services.store(of: .notifications).write { transaction in
      try transaction.database.execute(
        sql: "INSERT INTO inboxes (account_id, last_number) VALUES (?, ?)", arguments: [account, 2 * count + 10])
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
          INSERT INTO notifications (notification_id, account_id, number, kind, category, content, source, created_at, read_at,
            deleted_at)
          SELECT randomblob(16), ?1, i, iif(i > 10, 'coinsEarned', 'taskHelpRequested'), iif(i > 10, 'rewards', 'help'),
            '{"parameters":{},"links":{}}', 'x/' || i, ?3, iif(i > 10, NULL, ?3), iif(i > ?4, ?3, NULL)
          FROM n
          """, arguments: [account, 2 * count + 10, now, count + 10])
    }
  }

  @Test("A page of an inbox takes no longer where more of it does not fit the filters, and the pages together have all that does")
  func inbox() async throws {
    let filters: [(isUnread: Bool?, category: NotificationCategory?, count: Int)] = [
      (nil, nil, 50), (nil, .help, 10), (true, nil, 50), (true, .rewards, 50), (true, .help, 0), (false, nil, 0),
      (false, .rewards, 0), (false, .help, 10),
    ]
    try await run { services in
      let store = services.store(of: .notifications)
      var steps: [[Int]] = []
      for count in Self.counts {
        let ana = try await services.register()
        try await notify(services, ana, count)
        let account = ana.id
        var found: [Int] = []
        for filter in filters {
          let effort = try await store.effort { database in
            let items = try InboxStore.list(
              of: account, unread: filter.isUnread, category: filter.category, withLogins: true, Self.page, .english, in: database
            ).items
            #expect(items.count == filter.count)
          }
          found.append(effort.steps)
        }
        for (after, left) in [(0, 100), (count + 10, 0)] {
          let effort = try await store.effort { database in
            let output = try InboxStore.since(after, of: account, withLogins: true, limit: 100, .english, in: database)
            #expect(output.items.count == left && output.lastNumber == 2 * count + 10)
          }
          found.append(effort.steps)
        }
        steps.append(found)
        var (numbers, pages, cursor): ([Int], Int, PageCursor?) = ([], 0, nil)
        repeat {
          let page = try await ana.send(ListNotifications.self, .init(isUnread: false, limit: 4, cursor: cursor))
          (numbers, pages, cursor) = (numbers + page.items.map(\.number), pages + 1, page.nextCursor)
        } while cursor != nil
        // Ten on pages of four.
        #expect(numbers == Array((1...10).reversed()) && pages == Self.pages(count) + 2)
      }
      #expect(zip(steps[0], steps[1]).allSatisfy { $1 <= $0 + 20 }, "\(steps)")
    }
  }

  @Test("A page of an inbox takes no longer where a block hides more of it, and the pages together have all that is left")
  func hidden() async throws {
    let filters: [(isUnread: Bool?, category: NotificationCategory?, count: Int)] = [
      (nil, nil, 0), (nil, .rewards, 0), (true, nil, 0), (nil, .help, 10),
    ]
    try await run { services in
      let store = services.store(of: .notifications)
      var steps: [[Int]] = []
      for count in Self.counts {
        let ana = try await services.register()
        try await notify(services, ana, count)
        let (account, other) = (ana.id, AccountID())
        // Without waking the worker, which deletes them.
        try await store.write { transaction in
          try transaction.database.execute(
            sql: """
              INSERT INTO notification_accounts (notification_id, account_id)
              SELECT notification_id, ? FROM notifications WHERE account_id = ? AND category = 'rewards' AND deleted_at IS NULL
              """, arguments: [other, account])
          _ = try BlockedNotificationStore.begin(account, from: other, transaction)
        }
        var found: [Int] = []
        for filter in filters {
          let effort = try await store.effort { database in
            let items = try InboxStore.list(
              of: account, unread: filter.isUnread, category: filter.category, withLogins: true, Self.page, .english, in: database
            ).items
            #expect(items.count == filter.count)
          }
          found.append(effort.steps)
        }
        let since = try await store.effort { database in
          let output = try InboxStore.since(0, of: account, withLogins: true, limit: 100, .english, in: database)
          #expect(output.items.map(\.number) == Array(1...10) && output.nextAfter == 2_000)
        }
        let unread = try await store.effort { database in
          let counts = try UnreadCountStore.counts(of: account, in: database)
          #expect(counts == ["rewards": count - 2_000], "of so many, none but the newest are looked through")
        }
        steps.append(found + [since.steps, unread.steps])
        var (seen, pages, after): ([Int], Int, Int?) = ([], 0, 0)
        while let last = after {
          let page = try await ana.send(ListNotificationsSince.self, .init(after: last, limit: 20))
          (seen, pages, after) = (seen + page.items.map(\.number), pages + 1, page.nextAfter)
        }
        #expect(seen == Array(1...10) && pages == Self.pages(count))
        var (numbers, cursor): ([Int], PageCursor?) = ([], nil)
        repeat {
          let page = try await ana.send(ListNotifications.self, .init(cursor: cursor))
          (numbers, cursor) = (numbers + page.items.map(\.number), page.nextCursor)
        } while cursor != nil
        #expect(numbers == Array((1...10).reversed()))
      }
      #expect(zip(steps[0], steps[1]).allSatisfy { $1 <= $0 + 20 }, "\(steps)")
    }
  }

  @Test("Lists, and what a delivery says, take no longer where more others were just blocked or more accounts are being erased")
  func pending() async throws {
    try await run { services in
      let store = services.store(of: .notifications)
      var steps: [[Int]] = []
      for count in [100, 3_000] {
        let ana = try await services.register()
        try await notify(services, ana, 60)
        let account = ana.id
        // Without waking the workers.
        let delivery = try await store.write { transaction in
          let (database, now, other) = (transaction.database, transaction.now, AccountID())
          try database.execute(
            sql: """
              INSERT INTO notification_accounts (notification_id, account_id)
              SELECT notification_id, ? FROM notifications WHERE account_id = ? AND deleted_at IS NULL
              """, arguments: [other, account])
          try database.execute(
            sql: """
              WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
              INSERT INTO blocked_notifications (account_id, other_account, after, through) SELECT ?1, randomblob(16), 0, 130 FROM n
              """, arguments: [account, count])
          try database.execute(
            sql: """
              INSERT INTO blocked_deliveries (account_id, other_account, last_delivery)
              SELECT account_id, other_account, ? FROM blocked_notifications WHERE account_id = ?
              """, arguments: [ID<NotificationDelivery>.last, account])
          try database.execute(
            sql: """
              WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
              INSERT INTO erasures (account_id, deletion_id, counts, erased_at)
              SELECT randomblob(16), randomblob(16), '{"counts":[]}', ?2 FROM n
              """, arguments: [count, now])
          let item = InboxItem(
            kind: "taskHelpRequested", content: NotificationContent(parameters: [:], links: NotificationLinks()), source: "y",
            accounts: [other])
          let delivery = Delivery(
            id: ID(), account: account, channel: .email, kind: "taskHelpRequested", source: item.source, subject: ID(),
            notification: nil, createdAt: now)
          try DeliveryStore.add(delivery, .held(until: now.adding(seconds: 86_400), .quietHours), keeping: item, transaction)
          return delivery.id
        }
        let list = try await store.effort { database in
          let items = try InboxStore.list(
            of: account, unread: nil, category: nil, withLogins: true, Self.page, .english, in: database
          ).items
          #expect(items.count == 50)
        }
        let since = try await store.effort { database in
          let output = try InboxStore.since(0, of: account, withLogins: true, limit: 100, .english, in: database)
          #expect(output.items.count == 70)
        }
        let unread = try await store.effort { database in
          let counts = try UnreadCountStore.counts(of: account, in: database)
          #expect(counts == ["rewards": 60])
        }
        let content = try await store.effort { database in
          let content = try DeliveryStore.content(of: delivery, account, in: database)
          #expect(content != nil)
        }
        steps.append([list, since, unread, content].map(\.steps))
      }
      #expect(zip(steps[0], steps[1]).allSatisfy { $1 <= $0 + 20 }, "\(steps)")
    }
  }

  /// Fills the log of an account: ten pushes that failed, then as many notifications in the inbox, logged now.
  ///
  /// - Parameter days: how many days before that happened of which the inbox was notified.
  private func deliver(
    _ services: ServicesInProcess, _ person: Person, _ count: Int, late days: Int = 0
  ) async throws {
    let (account, now) = (person.id, services.clock.now)
    // As an id begins, with the time at which it was made.
    let time = String(now.milliseconds, radix: 16)
    let prefix = String(repeating: "0", count: 12 - time.count) + time
    try await services.store(of: .notifications).write { transaction in
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
          INSERT INTO deliveries (account_id, delivery_id, channel, kind, source, subject_id, state, reason, created_at, finished_at)
          SELECT ?1, CAST(x'\(prefix)' || printf('%010d', i) AS BLOB), iif(i > 10, 'inbox', 'push'), 'coinsEarned', 'x/' || i,
            randomblob(16), iif(i > 10, 'sent', 'failed'), iif(i > 10, NULL, 'push_unreachable'), iif(i > 10, ?4, ?3), ?3
          FROM n
          """, arguments: [account, count + 10, now, now.adding(seconds: -days * 86_400)])
    }
  }

  @Test("A page of the log takes no longer where more of it does not fit the filters, and the pages together have all that does")
  func deliveries() async throws {
    let filters: [(channel: NotificationChannel?, state: DeliveryState?, count: Int)] = [
      (nil, nil, 50), (.inbox, nil, 50), (.inbox, .sent, 50), (.push, nil, 0), (nil, .failed, 0), (.email, .held, 0),
    ]
    try await run { services in
      let (store, since) = (services.store(of: .notifications), services.clock.now.adding(seconds: -90 * 86_400))
      var steps: [[Int]] = []
      var people: [Person] = []
      for count in Self.counts {
        let ana = try await services.register()
        people.append(ana)
        try await deliver(services, ana, count)
        var found: [Int] = []
        for filter in filters {
          let input = ListDeliveries.Input(channel: filter.channel, state: filter.state)
          found.append(try await effort(store, ana, input, since: since, count: filter.count))
        }
        steps.append(found)
        var (states, pages, cursor): ([DeliveryState], Int, PageCursor?) = ([], 0, nil)
        repeat {
          let page = try await ana.send(ListDeliveries.self, .init(state: .failed, limit: 20, cursor: cursor))
          (states, pages, cursor) = (states + page.items.map(\.state), pages + 1, page.nextCursor)
        } while cursor != nil
        #expect(states == Array(repeating: .failed, count: 10) && pages == Self.pages(count))
      }
      #expect(zip(steps[0], steps[1]).allSatisfy { $1 <= $0 + 20 }, "\(steps)")
      // Without a filter no more is looked at than the page shows.
      let ben = try await services.register()
      try await deliver(services, ben, 60)
      let few = try await effort(store, ben, .init(), since: since, count: 50)
      #expect(steps[0][0] <= few + 20, "\(few), \(steps)")
      // What is too old ends the list.
      services.clock.advance(days: 91)
      for ana in people {
        let page = try await ana.send(ListDeliveries.self, .init(state: .failed))
        #expect(page.items.isEmpty && page.nextCursor == nil)
      }
    }
  }

  /// What it takes to list the first page of a log.
  private func effort(
    _ store: Store, _ person: Person, _ input: ListDeliveries.Input, since: Instant, count: Int
  ) async throws -> Int {
    let account = person.id
    return try await store.effort { database in
      let items = try DeliveryStore.list(
        of: account, input, without: [], since: since, Self.page, .english, in: database
      ).items
      #expect(items.count == count)
    }.steps
  }

  @Test("The log goes on behind notifications of what happened long before they were logged")
  func late() async throws {
    try await run(settings: ["racha.notifications.logRetentionDays": "120"]) { services in
      let ana = try await services.register()
      try await deliver(services, ana, 3_000, late: 91)
      for state in [nil, .failed] as [DeliveryState?] {
        var (states, cursor): ([DeliveryState], PageCursor?) = ([], nil)
        repeat {
          let page = try await ana.send(ListDeliveries.self, .init(state: state, limit: 200, cursor: cursor))
          (states, cursor) = (states + page.items.map(\.state), page.nextCursor)
        } while cursor != nil
        #expect(states == Array(repeating: .failed, count: 10))
      }
    }
  }
}
