import Client
import Cluster
import Crypto
import Foundation
import GRDB
import IdentityContract
import NotificationsContract
import Operations
import SocialContract

/// Notifications in a store that holds very many of them, and very many devices that take pushes: from events to inboxes, and from an event to the
/// request at the push service (NOT-1, NOT-5).
///
/// As many people as that cannot be notified through the gateway in a bench. So what there is already is written into notifications' store,
/// and the events into social's outbox, while both are away.
struct NotificationLoad {
  let cluster: RunningCluster
  let report: Report
  let people: People
  let pushService: Yardstick
  /// How many notifications there are.
  let notifications: Int

  /// Those of one reader; the others have nine each, and a device, so that of a million there are 100,000 with a device.
  private static let ofReader = 100_000
  private static let ofEach = 9
  /// Who is notified of the events, and how often.
  private static let (readers, events) = (5000, 100_000)
  /// Events before the clock starts.
  private static let warmUp = 10_000
  private static let pushes = 300

  func measure() async throws {
    let start = ContinuousClock.now
    try await hold([.notifications, .social])
    let accounts = try fill()
    let head = try publish(to: accounts)
    report.raw("\(notifications) notifications written in \(Int((ContinuousClock.now - start).milliseconds)) ms")
    try cluster.release(.notifications)
    try cluster.release(.social)
    try await receive(upTo: head)
    try await cluster.waitUntilReady()
    try await list()
    try await push()
  }

  private func hold(_ services: [ServiceName]) async throws {
    for service in services {
      cluster.hold(service)
      // The end of a process is waited for; there is nothing that reports it.
      while cluster.processID(service) != 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  private func store(_ service: ServiceName, _ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    try DatabaseQueue(path: "\(cluster.home)/stores/\(service).sqlite", configuration: configuration)
  }

  // MARK: - What there is already

  /// - Returns: accounts without devices, who are to be notified.
  private func fill() throws -> [AccountID] {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000") }
    let others = max(0, notifications - Self.ofReader) / Self.ofEach
    let key = P256.KeyAgreement.PrivateKey().publicKey.x963Representation
    return try store(.notifications, configuration).write { database in
      let inbox = try database.makeStatement(
        sql: "INSERT OR REPLACE INTO inboxes (account_id, last_number) VALUES (?, ?)")
      let notification = try database.makeStatement(
        sql: """
          INSERT INTO notifications (notification_id, account_id, number, kind, content, source, created_at, category)
          VALUES (?, ?, ?, 'taskCompleted', ?, ?, ?, 'tasks')
          """)
      let device = try database.makeStatement(
        sql: """
          INSERT INTO push_subscriptions
            (subscription_id, account_id, session_id, endpoint, device_key, secret, server_key, created_at, checked_at, is_paused)
          VALUES (?, ?, ?, ?, ?, zeroblob(16), ?, ?, 0, 0)
          """)
      let now = Instant.now.milliseconds
      func add(_ count: Int, to account: AccountID) throws {
        try inbox.execute(arguments: [account, count])
        for number in 1...count {
          try notification.execute(arguments: [
            ID<NotificationsContract.Notification>(), account, number, #"{"parameters":{"task":"Work \#(number)"},"links":{}}"#,
            "bench/\(number)", now,
          ])
        }
      }
      let first = people.first.account.id
      for table in ["notifications", "unread_counts"] {
        try database.execute(sql: "DELETE FROM \(table) WHERE account_id = ?", arguments: [first])
      }
      try add(min(Self.ofReader, notifications), to: first)
      for number in 0..<others {
        let account = try know(number, database)
        try add(Self.ofEach, to: account)
        try device.execute(arguments: [
          ID<PushSubscription>(), account, ID<Session>(), "\(pushService.url)/push/\(number)", key, key, now,
        ])
      }
      return try (others..<others + Self.readers).map { try know($0, database) }
    }
  }

  private func know(_ number: Int, _ database: Database) throws -> AccountID {
    let account = AccountID()
    try database.cachedStatement(
      sql: """
        INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, revision)
        VALUES (?, ?, 'UTC', 0, 'en', 1, 1)
        """
    ).execute(arguments: [account, "bench.reader\(number)"])
    return account
  }

  // MARK: - Events to inboxes

  /// - Returns: the number of the last event.
  private func publish(to accounts: [AccountID]) throws -> Int64 {
    let name = try TaskName(text: "Water the plants")
    return try store(.social).write { database in
      let statement = try database.makeStatement(sql: "INSERT INTO outbox (name, at, body) VALUES (?, ?, ?)")
      for number in 0..<Self.events {
        let event = TaskNoticeCreated(
          noticeID: ID(), accountID: accounts[number % accounts.count], taskID: ID(), taskName: name, notice: .completed,
          byAccountID: nil, byUsername: nil, at: .now)
        try statement.execute(arguments: [TaskNoticeCreated.spec.name, Instant.now.milliseconds, Data(event.json)])
      }
      return try Int64.fetchOne(database, sql: "SELECT max(number) FROM outbox") ?? 0
    }
  }

  private func receive(upTo head: Int64) async throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let store = try store(.notifications, configuration)
    func cursor() throws -> Int64 {
      try store.read {
        try Int64.fetchOne($0, sql: "SELECT number FROM subscription_cursors WHERE publisher = 'social'") ?? 0
      }
    }
    while try cursor() < head - Int64(Self.events - Self.warmUp) { try await Task.sleep(for: .milliseconds(2)) }
    let (start, first) = (ContinuousClock.now, try cursor())
    while try cursor() < head { try await Task.sleep(for: .milliseconds(5)) }
    let rate = Double(head - first) / ((ContinuousClock.now - start).milliseconds / 1000)
    report.add(
      "notifications from event to inbox, with \(notifications) there", "\(Int(rate))/s", target: "5,000/s",
      isReached: rate >= 5000)
  }

  // MARK: - Reading and pushing

  /// Until the last byte of the page: what a client makes of it is the client's.
  private func list() async throws {
    // What the events before led to goes on for a moment.
    try await Task.sleep(for: .seconds(3))
    let waits = try await Waits { _ in
      let (status, page) = try await people.first.client.get("/v1/notifications?limit=50")
      guard status == 200, page.utf8.count > 50 * 100 else { throw Missing.notifications }
    }
    let page = try await people.first.client.call(ListNotifications.self, .init(limit: 50))
    guard page.items.count == 50 else { throw Missing.notifications }
    report.add(
      "50 of \(Self.ofReader) notifications, p99", String(format: "%.1f ms", waits.p99), target: "5 ms", isReached: waits.p99 <= 5
    )
    report.raw(String(format: "50 of \(Self.ofReader) notifications: p50 %.1f ms, longest %.1f ms", waits.p50, waits.longest))
  }

  private enum Missing: Error { case notifications }

  /// From a comment's request to the request at the push service of another who takes part: it includes a durable write in social and two in
  /// notifications.
  private func push() async throws {
    let (author, reader) = (people.all[1], people.all[2])
    let key = P256.KeyAgreement.PrivateKey().publicKey.x963Representation.base64EncodedString()
    _ = try await reader.client.call(
      CreatePushSubscription.self,
      .init(
        endpoint: PushEndpoint(text: "\(pushService.url)/push/bench"),
        keys: .init(p256dh: PushKey(text: key.base64URL), auth: PushSecret(text: Data(count: 16).base64EncodedString().base64URL))
      ))
    let task = try await author.client.call(
      CreateTask.self, .init(name: TaskName(text: "Bench"), participants: [reader.account.username]))
    var arrived = pushService.pushes.makeAsyncIterator()
    // The first is of the task.
    _ = await arrived.next()
    let waits = try await Waits(Self.pushes) { number in
      _ = try await author.client.call(CreateTaskComment.self, .init(taskID: task.id, text: ChatText(text: "Comment \(number)")))
      _ = await arrived.next()
    }
    report.publish("an event → the request at the push service, p50", String(format: "%.1f ms", waits.p50))
    report.publish("the same, p99", String(format: "%.1f ms", waits.p99))
  }
}

extension String {
  /// From base64 to base64url without padding (RFC 4648, section 5).
  fileprivate var base64URL: String {
    replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
