import ActivityContract
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

/// What waits is put into the store without waking the worker, which would take it.
@Suite("The queue of pushes (NOT-5)", .timeLimit(.minutes(1)))
struct PushQueueTests {
  private func person(_ services: ServicesInProcess) async throws -> Person {
    let person = try await services.register()
    try await services.hasReceived(.notifications, of: .identity)
    return person
  }

  private func subscribe(_ person: Person, _ name: String) async throws -> ID<PushSubscription> {
    try await person.send(
      CreatePushSubscription.self,
      .init(
        endpoint: try PushEndpoint(text: "https://push.example.org/\(name)"),
        keys: .init(
          p256dh: try PushKey(text: PushSubscriptionTests.key), auth: try PushSecret(text: "BTBZMqHH6r4Tts7J_aSIgg")))
    ).id
  }

  /// Adds a message to all devices, which is due then.
  private static func queue(due: Instant, _ database: Database) throws {
    let message = ID<PushMessage>()
    try database.execute(
      sql: """
        INSERT INTO push_messages (message_id, account_id, source, urgency, created_at, expires_at) VALUES (?, ?, 'x/1', 'normal', 0, ?)
        """, arguments: [message, AccountID(), due.adding(seconds: 86_400)])
    try database.execute(
      sql: """
        INSERT INTO push_requests (message_id, subscription_id, state, next_at)
        SELECT ?, subscription_id, 'waiting', ? FROM push_subscriptions
        """, arguments: [message, due])
  }

  @Test("To find what is due, and whom to ask about it, takes no longer where much waits, also for paused devices")
  func effort() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let store = services.store(of: .notifications)
      let (now, due) = (services.clock.now, services.clock.now.adding(seconds: 86_400))
      var steps: [[Int]] = []
      for (first, last) in [(1, 500), (501, 5_000)] {
        try await store.write { transaction in
          try transaction.database.execute(
            sql: """
              WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
              INSERT INTO push_subscriptions (subscription_id, account_id, session_id, endpoint, device_key, secret, server_key,
                created_at, checked_at, is_paused)
              SELECT randomblob(16), randomblob(16), randomblob(16), 'https://push.example.org/' || i, zeroblob(65), zeroblob(16),
                zeroblob(65), ?3, ?3, i % 2 FROM n
              """, arguments: [first, last, now])
          try Self.queue(due: due, transaction.database)
        }
        steps.append([
          try await store.effort { _ = try PushStore.due(at: due, in: $0) }.steps,
          try await store.effort { _ = try PushSessionStore.due(at: due, since: due, in: $0) }.steps,
          try await store.effort { _ = try PushStore.nextDue(in: $0) }.steps,
          try await store.effort { _ = try PushSessionStore.idle(at: due, since: due, in: $0) }.steps,
        ])
      }
      for (few, many) in zip(steps[0], steps[1]) { #expect(many <= few + 2, "\(steps)") }
      let sessions = try await store.read { try PushSessionStore.due(at: due, since: due, in: $0) }
      #expect(sessions.count == CheckSessions.maxSessions)
    }
  }

  @Test("To find replacements of a push takes no longer where much waits for the account")
  func repeats() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (store, now) = (services.store(of: .notifications), services.clock.now)
      let source = "\(ReminderDue.spec.originalName)/activity/2026-11-21/480"
      var steps: [Int] = []
      for count in [500, 5_000] {
        let account = AccountID()
        try await store.write { transaction in
          try transaction.database.execute(
            sql: """
              WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
              INSERT INTO push_messages (message_id, account_id, source, urgency, created_at, expires_at, is_repeat)
              SELECT randomblob(16), ?1, iif(i, 'x/' || i, ?3), 'normal', ?4, ?5, NOT i FROM n
              """, arguments: [account, count, source, now, now.adding(seconds: 86_400)])
        }
        let effort = try await store.effort { database in
          let repeats = try PushStore.repeats(like: source, of: account, in: database)
          #expect(repeats.count == 1)
        }
        steps.append(effort.steps)
      }
      #expect(steps[1] <= steps[0] + 2, "\(steps)")
    }
  }

  private static func device(
    _ name: String, of account: AccountID, in session: SessionID = SessionID(), _ transaction: Transaction
  ) throws -> ID<PushSubscription> {
    let device = PushSubscriptionStore.Device(
      endpoint: try PushEndpoint(text: "https://push.example.org/\(name)"), key: try PushKey(text: PushSubscriptionTests.key),
      secret: try PushSecret(text: "BTBZMqHH6r4Tts7J_aSIgg"), serverKey: try PushKey(text: PushSubscriptionTests.key), name: nil,
      language: nil)
    return try PushSubscriptionStore.put(device, of: account, in: session, transaction)
  }

  /// Queues a push to the account's devices, due now.
  ///
  /// - Parameter isRepeat: whether it replaces one that was sent.
  @discardableResult
  private static func push(
    kind: String = "friendRequestReceived", of source: String? = nil, to account: AccountID, isRepeat: Bool = false,
    _ transaction: Transaction
  ) throws -> ID<NotificationDelivery> {
    let id = ID<NotificationDelivery>()
    let delivery = Delivery(
      id: id, account: account, channel: .push, kind: kind, source: source ?? "x/\(id)", subject: ID(), notification: nil,
      createdAt: transaction.now)
    try DeliveryStore.add(delivery, .queued, transaction)
    try PushStore.add([delivery], to: account, transaction)
    if isRepeat {
      try transaction.database.execute(
        sql: """
          UPDATE push_messages SET is_repeat = 1
          WHERE message_id = (SELECT message_id FROM push_message_deliveries WHERE delivery_id = ?)
          """, arguments: [id])
    }
    return id
  }

  /// Queues pushes to the account's devices that come together.
  private static func summary(of count: Int, to account: AccountID, _ transaction: Transaction) throws {
    let deliveries = (0..<count).map { number in
      Delivery(
        id: ID(), account: account, channel: .push, kind: "friendRequestReceived", source: "x/\(number)", subject: ID(),
        notification: nil, createdAt: transaction.now)
    }
    for delivery in deliveries { try DeliveryStore.add(delivery, .queued, transaction) }
    try PushStore.add(deliveries, to: account, transaction)
  }

  private static func state(_ delivery: ID<NotificationDelivery>, in database: Database) throws -> String? {
    try String.fetchOne(
      database, sql: "SELECT state || coalesce(' ' || reason, '') FROM deliveries WHERE delivery_id = ?", arguments: [delivery])
  }

  private static func waiting(for device: ID<PushSubscription>, in database: Database) throws -> Int? {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM push_requests WHERE subscription_id = ? AND state = 'waiting'", arguments: [device])
  }

  @Test("Of 100 pushes that wait for a device, the one that came first is given up for another, but none that is being sent")
  func full() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (states, waiting, messages) = try await services.store(of: .notifications).write { transaction in
        let (database, account) = (transaction.database, AccountID())
        let phone = try Self.device("Phone", of: account, transaction)
        let pushes = try (0..<100).map { _ in try Self.push(to: account, transaction) }
        try database.execute(
          sql: """
            UPDATE push_requests SET state = 'sending'
            WHERE message_id = (SELECT message_id FROM push_message_deliveries WHERE delivery_id = ?)
            """, arguments: [pushes[0]])
        var states: [[String?]] = []
        for _ in 0..<2 {
          try Self.push(to: account, transaction)
          states.append(try pushes.prefix(3).map { try Self.state($0, in: database) })
        }
        let waiting = try Self.waiting(for: phone, in: database)
        let messages = try Int.fetchOne(database, sql: "SELECT count(*) FROM push_messages")
        try database.execute(sql: "DELETE FROM push_messages")
        return (states, waiting, messages)
      }
      #expect(states == [["queued", "queued", "queued"], ["queued", "silent displaced", "queued"]])
      #expect(waiting == 100 && messages == 101)
    }
  }

  private static func repeats(in database: Database) throws -> Int? {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM push_messages WHERE is_repeat = 1")
  }

  @Test("Of too many pushes, replacements are given up first, then the least urgent, even the new one; news of logins are not")
  func flood() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (states, repeats, waiting) = try await services.store(of: .notifications).write { transaction in
        let (database, account) = (transaction.database, AccountID())
        let phone = try Self.device("Phone", of: account, transaction)
        let login = try Self.push(kind: "loginSuspicious", to: account, transaction)
        let chats = try (0..<97).map { _ in try Self.push(to: account, transaction) }
        let coins = try Self.push(kind: "coinsEarned", to: account, transaction)
        let replacement = try Self.push(to: account, isRepeat: true, transaction)
        let watched = [replacement, coins, login, chats[0], chats[1]]
        var (states, repeats): ([[String?]], [Int?]) = ([], [])
        for _ in 0..<3 {
          try Self.push(to: account, transaction)
          states.append(try watched.map { try Self.state($0, in: database) })
          repeats.append(try Self.repeats(in: database))
        }
        let last = try Self.push(kind: "coinsEarned", to: account, transaction)
        states.append(try [last, chats[1]].map { try Self.state($0, in: database) })
        let waiting = try Self.waiting(for: phone, in: database)
        try database.execute(sql: "DELETE FROM push_messages")
        return (states, repeats, waiting)
      }
      // The delivery of a replacement does not end with it.
      let (queued, displaced) = ("queued", "silent displaced")
      #expect(
        states == [
          [queued, queued, queued, queued, queued], [queued, displaced, queued, queued, queued],
          [queued, displaced, queued, displaced, queued], [displaced, queued],
        ])
      #expect(repeats == [0, 0, 0] && waiting == 100)
    }
  }

  @Test("A replacement that something newer makes superfluous leaves it its place, so that nothing else is given up")
  func superfluous() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (repeats, waiting) = try await services.store(of: .notifications).write { transaction in
        let (database, account) = (transaction.database, AccountID())
        let phone = try Self.device("Phone", of: account, transaction)
        let activity = "\(ReminderDue.spec.originalName)/activity"
        try Self.push(to: account, isRepeat: true, transaction)
        try Self.push(kind: "reminderDue", of: "\(activity)/2026-11-21/480", to: account, isRepeat: true, transaction)
        for _ in 0..<98 { try Self.push(to: account, transaction) }
        try Self.push(kind: "reminderDue", of: "\(activity)/2026-11-21/540", to: account, transaction)
        let (repeats, waiting) = (try Self.repeats(in: database), try Self.waiting(for: phone, in: database))
        try database.execute(sql: "DELETE FROM push_messages")
        return (repeats, waiting)
      }
      #expect(repeats == 1 && waiting == 100)
    }
  }

  @Test("A push that is given up for one device still goes to another, and ends with the last of them")
  func apart() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (states, waiting, messages) = try await services.store(of: .notifications).write { transaction in
        let (database, account) = (transaction.database, AccountID())
        let phone = try Self.device("Phone", of: account, transaction)
        let tablet = try Self.device("Tablet", of: account, transaction)
        let first = try Self.push(to: account, transaction)
        for _ in 1..<100 { try Self.push(to: account, transaction) }
        // The tablet has got all others.
        try database.execute(
          sql: """
            DELETE FROM push_requests WHERE subscription_id = ?
              AND message_id <> (SELECT message_id FROM push_message_deliveries WHERE delivery_id = ?)
            """, arguments: [tablet, first])
        try Self.push(to: account, transaction)
        var states = [try Self.state(first, in: database)]
        let waiting = try [phone, tablet].map { try Self.waiting(for: $0, in: database) }
        try PushSubscriptionStore.remove(tablet, transaction)
        states.append(try Self.state(first, in: database))
        let messages = try Int.fetchOne(database, sql: "SELECT count(*) FROM push_messages")
        try database.execute(sql: "DELETE FROM push_messages")
        return (states, waiting, messages)
      }
      #expect(states == ["queued", "silent no_device"] && waiting == [100, 2] && messages == 100)
    }
  }

  @Test("To remove a device changes no more where many pushes came for it")
  func removed() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let changes = try await services.store(of: .notifications).write { transaction in
        let database = transaction.database
        var changes: [Int] = []
        for count in [100, 400] {
          let account = AccountID()
          let device = try Self.device("\(count)", of: account, transaction)
          for _ in 0..<count { try Self.push(to: account, transaction) }
          let before = database.totalChangesCount
          try PushSubscriptionStore.remove(device, transaction)
          changes.append(database.totalChangesCount - before)
        }
        return changes
      }
      #expect(changes[0] == changes[1], "\(changes)")
    }
  }

  @Test(
    "Of summaries whose device is removed, or that are out of date, few end at a time, and with the next claims the others",
    arguments: [true, false])
  func summaries(isRemoved: Bool) async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (counts, reasons) = try await services.store(of: .notifications).write { transaction in
        let (database, account, now) = (transaction.database, AccountID(), transaction.now)
        let phone = try Self.device("Phone", of: account, transaction)
        for _ in 0..<5 { try Self.summary(of: 200, to: account, transaction) }
        func queued() throws -> Int? {
          try Int.fetchOne(database, sql: "SELECT count(*) FROM deliveries WHERE state = 'queued'")
        }
        if isRemoved {
          try PushSubscriptionStore.remove(phone, transaction)
        } else {
          try database.execute(sql: "UPDATE push_messages SET expires_at = ?", arguments: [now])
        }
        var counts = [try queued()]
        while try PushStore.hasExpired(at: now, in: database) {
          let jobs = try PushStore.claim(atMost: 5, since: now, transaction)
          #expect(jobs.isEmpty)
          counts.append(try queued())
        }
        return (counts, try String.fetchAll(database, sql: "SELECT DISTINCT reason FROM deliveries"))
      }
      // Two at a time: three carry more than may end.
      let expected: [Int?] = isRemoved ? [600, 200, 0] : [1_000, 600, 200, 0]
      #expect(counts == expected && reasons == [isRemoved ? "no_device" : "late"])
    }
  }

  @Test("Where all devices of a session go, no more ends at once than where one does, and all that was on its way to them ends")
  func sessions() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let counts = try await services.store(of: .notifications).write { transaction in
        let (database, account, now, session) = (transaction.database, AccountID(), transaction.now, SessionID())
        // Each has got what came for those before.
        for number in 0..<4 {
          let device = try Self.device("\(number)", of: account, in: session, transaction)
          try Self.summary(of: 300, to: account, transaction)
          try database.execute(
            sql: """
              DELETE FROM push_requests
              WHERE message_id = (SELECT max(message_id) FROM push_messages) AND subscription_id <> ?
              """, arguments: [device])
        }
        func queued() throws -> Int? {
          try Int.fetchOne(database, sql: "SELECT count(*) FROM deliveries WHERE state = 'queued'")
        }
        var counts = [try queued()]
        try PushSubscriptionStore.remove(of: session, transaction)
        counts.append(try queued())
        while try PushStore.hasExpired(at: now, in: database) {
          _ = try PushStore.claim(atMost: 5, since: now, transaction)
          counts.append(try queued())
        }
        return counts
      }
      #expect(counts == [1_200, 900, 600, 300, 0])
    }
  }

  @Test("What one device shows is replaced there once it is retracted, even if it waited for a removed device behind a summary")
  func shownElsewhere() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (isDeferred, isQueued, devices, phone) = try await services.store(of: .notifications).write { transaction in
        let (database, account, now) = (transaction.database, AccountID(), transaction.now)
        let phone = try Self.device("Phone", of: account, transaction)
        let tablet = try Self.device("Tablet", of: account, transaction)
        for count in [500, 500] { try Self.summary(of: count, to: account, transaction) }
        try Self.push(of: "news/1", to: account, transaction)
        // The phone's push service has taken all.
        try database.execute(sql: "UPDATE push_messages SET was_sent = 1")
        try database.execute(sql: "DELETE FROM push_requests WHERE subscription_id = ?", arguments: [phone])
        try PushSubscriptionStore.remove(tablet, transaction)
        let isDeferred = try PushStore.hasExpired(at: now, in: database)
        while try PushStore.hasExpired(at: now, in: database) {
          _ = try PushStore.claim(atMost: 5, since: now, transaction)
        }
        let isQueued = try PushStore.replace(SourceRange(only: "news/1"), of: account, by: .ended(answeredOn: nil), transaction)
        let devices = try ID<PushSubscription>.fetchAll(database, sql: "SELECT subscription_id FROM push_requests")
        try database.execute(sql: "DELETE FROM push_messages")
        return (isDeferred, isQueued, devices, phone)
      }
      #expect(isDeferred && isQueued && devices == [phone])
    }
  }

  @Test("Where more wait than may, a push changes as much whether few or many do, of which nine become fewer each time")
  func beyond() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let (store, due) = (services.store(of: .notifications), services.clock.now.adding(seconds: 86_400))
      var (steps, changes): ([Int], [Int]) = ([], [])
      for count in [500, 5_000] {
        let account = AccountID()
        let device = try await store.write { transaction in
          let device = try Self.device("\(count)", of: account, transaction)
          // The worker does not take them before; all came before the push that follows.
          try transaction.database.execute(
            sql: """
              WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
              INSERT INTO push_messages (message_id, account_id, source, urgency, created_at, expires_at)
              SELECT CAST(x'00' || printf('%015d', i) AS BLOB), ?1, 'x/' || i, 'normal', 0, ?3 FROM n
              """, arguments: [account, count, due.adding(seconds: 86_400)])
          try transaction.database.execute(
            sql: """
              INSERT INTO push_requests (message_id, subscription_id, state, next_at)
              SELECT message_id, ?2, 'waiting', ?3 FROM push_messages WHERE account_id = ?1
              """, arguments: [account, device, due])
          return device
        }
        let effort = try await store.effort { database in
          let excess = try PushStore.excess(to: device, in: database)
          #expect(excess.count == PushStore.maxGivenUp)
        }
        steps.append(effort.steps)
        let (changed, waiting) = try await store.write { transaction in
          let database = transaction.database
          let before = database.totalChangesCount
          try Self.push(to: account, transaction)
          let changed = database.totalChangesCount - before
          let waiting = try Self.waiting(for: device, in: database)
          try database.execute(sql: "DELETE FROM push_messages")
          return (changed, waiting)
        }
        changes.append(changed)
        #expect(waiting == count - 9)
      }
      #expect(steps[1] <= steps[0] + 2, "\(steps)")
      #expect(changes[0] == changes[1], "\(changes)")
    }
  }

  @Test("What waits for a paused device is put off until identity is asked again, or the device subscribes anew")
  func paused() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let ana = try await person(services)
      let (phone, watch) = (try await subscribe(ana, "Phone"), try await subscribe(ana, "Watch"))
      let endpoint = try PushEndpoint(text: "https://push.example.org/Watch")
      let (early, jobs, putOff, next, resumed) = try await services.store(of: .notifications).write { transaction in
        let (database, now) = (transaction.database, transaction.now)
        func answer(at instant: Instant) throws {
          try database.execute(
            sql: "UPDATE push_subscriptions SET checked_at = ?, is_paused = (subscription_id = ?)", arguments: [instant, watch])
        }
        try Self.queue(due: now, database)
        func waiting() throws -> Instant? {
          try Instant.fetchOne(
            database, sql: "SELECT next_at FROM push_requests WHERE subscription_id = ?", arguments: [watch])
        }
        // What was said before the start does not count.
        try answer(at: now.adding(milliseconds: -1))
        let early = try PushStore.claim(atMost: 5, since: now, transaction).count
        try answer(at: now)
        let jobs = try PushStore.claim(atMost: 5, since: now, transaction).map(\.subscription)
        let (putOff, next) = (try waiting(), try PushStore.nextDue(in: database))
        try PushStore.resume(endpoint, of: ana.id, transaction)
        let resumed = try waiting()
        try database.execute(sql: "DELETE FROM push_messages")
        return (early, jobs, putOff, next, resumed)
      }
      let now = services.clock.now
      #expect(early == 0 && jobs == [phone])
      #expect(putOff == now.adding(milliseconds: 20_001) && next == putOff && resumed == now)
    }
  }
}
