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
