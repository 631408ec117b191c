import EarlierStores
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

@Suite("Broadcasts of operators (NOT-5)", .timeLimit(.minutes(1)))
struct BroadcastTests {
  private func run(
    home: String? = nil, identity: IdentityDouble = IdentityDouble(), _ body: (ServicesInProcess, Person) async throws -> Void
  ) async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }], identity: identity, home: home) { services in
      try await body(services, try services.administrator())
    }
  }

  private static let message = BroadcastMessage(
    title: "New rules", text: "Read them.", spanishTitle: "Nuevas normas", spanishText: "Léelas.")

  private func texts(_ person: Person) async throws -> [String] {
    try await person.send(ListNotifications.self, .init(category: .announcements)).items.map(\.text)
  }

  @Test("A broadcast previews its number of recipients, reaches each once in their language, and is counted")
  func everybody() async throws {
    try await run { services, administrator in
      let (ana, bea) = (try await services.register(), try await services.register(language: .spanish))
      try await services.hasReceived(.notifications, of: .identity)
      let preview = try await administrator.send(PreviewBroadcast.self, Self.message)
      #expect(preview.count == 3 && preview.title == "New rules")
      #expect(try await texts(ana) == [])
      let input = SendBroadcast.Input(message: Self.message, perMinute: 60_000)
      let sent = try await administrator.send(SendBroadcast.self, input, key: "once")
      #expect(try await administrator.send(SendBroadcast.self, input, key: "once").id == sent.id)
      try await services.store(of: .notifications).until {
        try await administrator.send(ListBroadcasts.self, .init()).items.map(\.state) == [.done]
      }
      #expect(try await [texts(ana), texts(bea)] == [["Read them."], ["Léelas."]])
      #expect(try await administrator.send(ListBroadcasts.self, .init()).items[0].sentCount == 3)
      let figures = try await administrator.send(GetDeliveryStatistics.self, .init()).figures
      #expect(figures.contains(DeliveryStatistic(channel: .inbox, kind: "announcement", outcome: "sent", reason: nil, count: 3)))
    }
  }

  @Test("A broadcast can be sent to the accounts of one language, and to oneself as a test")
  func some() async throws {
    try await run { services, administrator in
      let (ana, bea) = (try await services.register(), try await services.register(language: .spanish))
      try await services.hasReceived(.notifications, of: .identity)
      var message = Self.message
      message.language = .spanish
      #expect(try await administrator.send(PreviewBroadcast.self, message).count == 1)
      _ = try await administrator.send(TestBroadcast.self, message, key: "test")
      #expect(try await [texts(administrator), texts(bea)] == [["Read them."], []])
      _ = try await administrator.send(SendBroadcast.self, .init(message: message), key: "once")
      try await services.store(of: .notifications).until { try await texts(bea) == ["Léelas."] }
      #expect(try await texts(ana) == [])
      // Identity is asked for those who were not seen for so long, and here has none.
      message.idleDays = 30
      #expect(try await administrator.send(PreviewBroadcast.self, message).count == 0)
    }
  }

  @Test("A broadcast continues after a restart where it stopped, and reaches nobody twice")
  func restart() async throws {
    let home = "/tmp/racha-broadcast-\(UInt32.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: home) }
    try await run(home: home) { services, administrator in
      let people = try await [services.register(), services.register(), services.register()]
      try await services.hasReceived(.notifications, of: .identity)
      // One a minute: the second waits.
      _ = try await administrator.send(SendBroadcast.self, .init(message: Self.message, perMinute: 1), key: "once")
      let store = services.store(of: .notifications)
      try await store.until { try await administrator.send(ListBroadcasts.self, .init()).items[0].sentCount == 1 }
      // As if it had to begin anew: who has it gets no other.
      try await store.write {
        try $0.database.execute(sql: "UPDATE broadcasts SET last_account = NULL, per_minute = 60000")
        try $0.publish(NotificationRemoved(accountID: people[0].id, number: 1))
      }
    }
    try await ServicesInProcess.running([{ try Notifications.service($0) }], home: home) { services in
      let store = services.store(of: .notifications)
      try await store.until {
        try await store.read { try String.fetchOne($0, sql: "SELECT state FROM broadcasts") } == "done"
      }
      let counts = try await store.read {
        try Int.fetchAll($0, sql: "SELECT count(*) FROM notifications GROUP BY account_id")
      }
      #expect(counts.allSatisfy { $0 == 1 })
    }
  }

  @Test(
    "A broadcast to idle accounts goes by the days of their last use, and reaches each once, whether it continues or begins anew",
    arguments: [
      ("per_minute = 60000", 2),
      // The last account was erased.
      ("per_minute = 60000, last_account = NULL", 3),
      // The store was upgraded.
      ("per_minute = 60000, last_account = NULL, last_day = NULL, sent_count = 0", 2),
    ])
  func idle(progress: String, sentCount: Int) async throws {
    let (home, identity) = ("/tmp/racha-broadcast-\(UInt32.random(in: .min ... .max))", IdentityDouble())
    defer { try? FileManager.default.removeItem(atPath: home) }
    try await run(home: home, identity: identity) { services, administrator in
      let people = try await [services.register(), services.register(), services.register()]
      for (person, day) in zip(people, ["2026-10-21", "2026-01-01", "2026-10-22"]) {
        identity.setUsedDay(of: person.id, try LocalDay(text: day))
      }
      try await services.hasReceived(.notifications, of: .identity)
      var message = Self.message
      message.idleDays = 30
      #expect(try await administrator.send(PreviewBroadcast.self, message).count == 2)
      _ = try await administrator.send(SendBroadcast.self, .init(message: message, perMinute: 1), key: "once")
      let store = services.store(of: .notifications)
      try await store.until { try await administrator.send(ListBroadcasts.self, .init()).items[0].sentCount == 1 }
      #expect(try await [texts(people[0]), texts(people[1])] == [[], ["Read them."]])
      let last = try await store.read { try LocalDay.fetchOne($0, sql: "SELECT last_day FROM broadcasts") }
      #expect(try last == LocalDay(text: "2026-01-01"))
      try await store.write { try $0.database.execute(sql: "UPDATE broadcasts SET \(progress)") }
    }
    try await run(home: home, identity: identity) { services, administrator in
      try await services.store(of: .notifications).until {
        try await administrator.send(ListBroadcasts.self, .init()).items.map(\.state) == [.done]
      }
      #expect(try await administrator.send(ListBroadcasts.self, .init()).items[0].sentCount == sentCount)
      let counts = try await services.store(of: .notifications).read {
        try Int.fetchAll($0, sql: "SELECT count(*) FROM notifications GROUP BY account_id")
      }
      #expect(counts == [1, 1])
    }
  }

  @Test("A broadcast to idle accounts that is being sent begins anew after the upgrade, and any other continues")
  func upgrade() async throws {
    let migrations = try PreferenceTests.migrations()
    let account = AccountID()
    try await UpgradedStore.upgrading(.notifications, migrations, before: 37) { transaction in
      for (number, idle) in ["", #","idleDays":30"#].enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO broadcasts (broadcast_id, message, per_minute, state, last_account, sent_count, created_at)
            VALUES (?, ?, 60, 'sending', ?, ?, 0)
            """,
          arguments: [ID<BroadcastMark>(), #"{"title":"New rules","text":"Read them."\#(idle)}"#, account, number + 5])
      }
    } check: { store in
      let states = try await store.read { database in
        try Row.fetchAll(database, sql: "SELECT * FROM broadcasts ORDER BY sent_count DESC").map { row in
          "\((row["last_account"] as AccountID?) == account) \(row["sent_count"] as Int)"
        }
      }
      #expect(states == ["true 5", "false 0"])
    }
  }

  @Test("A broadcast can be cancelled, and is accessible to administrators only")
  func cancelled() async throws {
    try await run { services, administrator in
      let ana = try await services.register()
      _ = try await services.register()
      let sent = try await administrator.send(SendBroadcast.self, .init(message: Self.message, perMinute: 1), key: "once")
      let ended = try await administrator.send(CancelBroadcast.self, .init(broadcastID: sent.id))
      #expect(ended.state == .cancelled && ended.finishedAt != nil)
      #expect(try await administrator.failure(CancelBroadcast.self, .init(broadcastID: ID())) == "not_found")
      #expect(try await ana.failure(ListBroadcasts.self, .init()) == "forbidden")
      #expect(try await ana.failure(TestBroadcast.self, Self.message, key: "mine") == "forbidden")
    }
  }
}
