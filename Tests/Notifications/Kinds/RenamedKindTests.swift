import ActivityContract
import Foundation
import GRDB
import InProcess
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("Renamed events and kinds in stores with their former names", .timeLimit(.minutes(1)))
struct RenamedKindTests {
  private static let others: [ServicesInProcess.Build] = [
    { _ in ServiceDefinition(.activity, migrations: []) }, { _ in ServiceDefinition(.rewards, migrations: []) },
  ]

  private func run(_ body: (ServicesInProcess, Person) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }] + Self.others) { services in
      let ana = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      try await body(services, ana)
    }
  }

  private func expiring(_ ana: Person, _ coins: Int, _ services: ServicesInProcess) -> CoinsExpiring {
    CoinsExpiring(
      noticeID: ID(), accountID: ana.id, coins: coins, endsAt: services.clock.now.adding(seconds: 7 * 86_400),
      at: services.clock.now)
  }

  private func inbox(_ ana: Person) async throws -> [NotificationsContract.Notification] {
    try await ana.send(ListNotifications.self, .init()).items
  }

  /// Logs an event under its former name, as an earlier build did, and behind it others as this one does.
  private func log<E: Event>(
    _ former: E, then events: any Event..., by publisher: ServiceName, _ services: ServicesInProcess
  ) async throws {
    let name = try #require(E.spec.formerName)
    try await services.store(of: publisher).write { transaction in
      try transaction.database.execute(
        sql: "INSERT INTO outbox (name, at, body) VALUES (?, ?, ?)",
        arguments: [name, transaction.now.milliseconds, Data(former.json)])
      for event in events { try transaction.publish(event) }
    }
    try await services.hasReceived(.notifications, of: publisher)
  }

  /// Gives the rows of a kind the name that an earlier build gave them.
  private func age(_ kind: String, to former: String, _ services: ServicesInProcess) async throws {
    try await services.store(of: .notifications).write { transaction in
      for table in ["notifications", "deliveries", "delivery_figures"] {
        try transaction.database.execute(
          sql: "UPDATE \(table) SET kind = ? WHERE kind = ?", arguments: [former, kind])
      }
    }
  }

  @Test("An event logged under its former name is notified once, even if it comes again under the present one")
  func once() async throws {
    try await run { services, ana in
      let event = expiring(ana, 12, services)
      try await log(event, then: event, event, by: .rewards, services)
      #expect(try await inbox(ana).map(\.kind) == ["coinsExpiring"])
      let sources = try await services.store(of: .notifications).read {
        try String.fetchAll($0, sql: "SELECT DISTINCT source FROM deliveries UNION SELECT source FROM notifications")
      }
      #expect(sources == ["coins.ending/\(event.noticeID)"])
    }
  }

  @Test("A notification made by an event under its former name is withdrawn by one under the present name")
  func retracted() async throws {
    try await run { services, ana in
      let goal = StepGoalProgressed(
        accountID: ana.id, period: .day, firstDay: try LocalDay(text: "2026-11-21"), goal: 5000, steps: 4500, isReached: false)
      let set = StepGoalChanged(accountID: ana.id, period: .day, goal: 5000, revision: 1)
      try await log(goal, then: set, by: .activity, services)
      #expect(try await inbox(ana).map(\.kind) == ["stepGoalNear"])
      try await services.publish(.activity, StepGoalChanged(accountID: ana.id, period: .day, goal: nil, revision: 2))
      try await services.hasReceived(.notifications, of: .activity)
      #expect(try await inbox(ana).isEmpty)
    }
  }

  @Test("A notification that is stored under a former kind is read, logged and counted under its present one, with its words")
  func stored() async throws {
    try await run { services, ana in
      try await services.publish(.rewards, expiring(ana, 12, services))
      try await services.hasReceived(.notifications, of: .rewards)
      try await age("coinsExpiring", to: "coinsEnding", services)
      try await services.publish(.rewards, expiring(ana, 13, services))
      try await services.hasReceived(.notifications, of: .rewards)
      let items = try await inbox(ana)
      #expect(items.map(\.kind) == ["coinsExpiring", "coinsExpiring"])
      #expect(items.allSatisfy { $0.title == "Your coins expire soon" })
      let log = try await ana.send(ListDeliveries.self, .init(channel: .inbox)).items
      #expect(log.map(\.kind) == ["coinsExpiring", "coinsExpiring"] && Set(log.map(\.name)) == ["Your coins expire soon"])
      // Read, both are counted for the present kind.
      _ = try await ana.send(MarkAllNotificationsRead.self, .init(upTo: 2))
      let figures = try await services.administrator().send(GetDeliveryStatistics.self, .init()).figures
      let ofInbox = figures.filter { $0.channel == .inbox }.map { "\($0.kind) \($0.outcome) \($0.count)" }
      #expect(ofInbox == ["coinsExpiring opened 2", "coinsExpiring sent 2"])
    }
  }

  @Test("A choice for a kind under its former name still counts, and yields to a later one")
  func chosen() async throws {
    try await run { services, ana in
      let store = services.store(of: .notifications)
      try await store.write {
        try $0.database.execute(
          sql: """
            INSERT INTO notification_choices (account_id, topic, channel, is_on)
            VALUES (?1, 'kind.coinsEnding', 'inbox', 0), (?1, 'kind.coinsEnding', 'push', 0)
            """, arguments: [ana.id])
      }
      func isInbox(_ state: NotificationSwitch, chosen: [NotificationChannel]) async throws -> Bool {
        let items = try await ana.send(GetNotificationPreferences.self, .init()).items
        let found = try #require(items.first { $0.kind == "coinsExpiring" })
        return found.inbox == state && found.chosen == chosen
      }
      #expect(try await isInbox(.off, chosen: [.inbox, .push]))
      func choose(_ kind: String, _ channel: NotificationChannel, _ isOn: Bool?) async throws {
        let choice = NotificationChoice(kind: kind, channel, isOn: isOn)
        _ = try await ana.send(UpdateNotificationPreferences.self, .init(choices: [choice]))
      }
      try await choose("coinsExpiring", .inbox, true)
      try await choose("coinsExpiring", .push, nil)
      #expect(try await isInbox(.on, chosen: [.inbox]))
      // An app of before names it so.
      try await choose("coinsEnding", .inbox, false)
      #expect(try await isInbox(.off, chosen: [.inbox]))
      let topics = try await store.read { try String.fetchAll($0, sql: "SELECT topic FROM notification_choices") }
      #expect(topics == ["kind.coinsExpiring"])
    }
  }

  @Test("Former kinds are recognized in unsubscribe links, and none is another kind's present name")
  func former() {
    let present = Set(NotificationKind.allCases.map(\.rawValue))
    for (former, name) in NotificationKind.formerNames {
      #expect(!present.contains(former) && present.contains(name))
      #expect(NotificationSpec.named(former)?.name == name && NotificationKind(rawValue: former)?.rawValue == name)
      #expect(UnsubscribeScope.kind(former).kinds.map(\.name) == [name])
      #expect(NotificationKind.storedNames(of: name) == [name, former])
    }
  }
}
