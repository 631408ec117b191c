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

@Suite("The log of deliveries (NOT-5)", .timeLimit(.minutes(1)))
struct DeliveryTests {
  private static let settings = ["racha.notifications.logRetentionDays": "120"]

  /// Notifications that keep the log for longer than its owner sees it, in the quiet hours of somebody who is mailed what others do.
  private func run(_ body: (ServicesInProcess, Person) async throws -> Void) async throws {
    let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }
    try await ServicesInProcess.running(
      [{ try Notifications.service($0) }, social], settings: Self.settings, at: "2026-11-21T23:00:00.000Z"
    ) { services in
      let ana = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      _ = try await ana.send(
        UpdateNotificationPreferences.self,
        .init(choices: [.init(category: .social, .email, isOn: true), .init(category: .tasks, .inbox, isOn: false)]))
      _ = try await ana.send(
        SetQuietHours.self, QuietHours(startsAt: QuietTime(text: "22:00"), endsAt: QuietTime(text: "07:00")))
      try await body(services, ana)
    }
  }

  /// What is sent to the inbox and held for a mail, and what is silent.
  private func notify(_ ana: Person, _ services: ServicesInProcess) async throws {
    let ben = try Username(text: "ben")
    try await services.publish(
      .social,
      FriendRequestSent(friendRequestID: ID(), fromAccountID: AccountID(), fromUsername: ben, toAccountID: ana.id, at: .now),
      TaskNoticeCreated(
        noticeID: ID(), accountID: ana.id, taskID: ID(), taskName: TaskName(text: "Paint"), notice: .enrolled,
        byAccountID: AccountID(), byUsername: ben, at: .now))
    try await services.hasReceived(.notifications, of: .social)
    // So that it is held for as long as the test takes, whatever the clock shows.
    try await services.store(of: .notifications).write {
      try $0.database.execute(
        sql: "UPDATE deliveries SET not_before = ? WHERE state = 'held'", arguments: [$0.now.adding(seconds: 9999 * 86_400)])
    }
  }

  private func log(_ person: Person, _ input: ListDeliveries.Input = .init()) async throws -> [String] {
    try await person.send(ListDeliveries.self, input).items.map { "\($0.channel) \($0.kind) \($0.state)" }
  }

  private static let all = [
    "inbox taskEnrolled silent", "email friendRequestReceived held", "inbox friendRequestReceived sent",
  ]

  /// What removes rows that have outlived their use, for the test to run.
  private func retention(_ services: ServicesInProcess) throws -> RetentionWorker {
    let environment = ServiceEnvironment(
      settings: Settings(Self.settings), home: services.home, bus: MemoryBus(.notifications, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let features = try Notifications.features(
      environment, MailSettings(environment.settings, environment.home), WatchedCarrier(), secret: [])
    return RetentionWorker(
      store: services.store(of: .notifications), features: features.filter { $0 is DeliveryFeature }, logger: environment.logger)
  }

  @Test("An account sees the last 90 days of its delivery log, even if it is kept for longer")
  func visible() async throws {
    try await run { services, ana in
      try await notify(ana, services)
      #expect(try await log(ana) == Self.all)
      services.clock.advance(days: 89)
      #expect(try await log(ana) == Self.all)
      services.clock.advance(days: 2)
      #expect(try await log(ana).isEmpty)
      #expect(try await services.store(of: .notifications).rows("deliveries") == 3)
    }
  }

  @Test("The delivery log is kept for the configured time")
  func kept() async throws {
    try await run { services, ana in
      let administrator = try services.administrator()
      let (store, retention) = (services.store(of: .notifications), try self.retention(services))
      try await notify(ana, services)
      func figures() async throws -> [DeliveryStatistic] {
        try await administrator.send(GetDeliveryStatistics.self, .init(days: 366)).figures
      }
      let before = try await figures()
      #expect(
        before.map { "\($0.channel) \($0.kind) \($0.outcome) \($0.count)" } == [
          "email friendRequestReceived held 1", "inbox friendRequestReceived sent 1", "inbox taskEnrolled silent 1",
        ])
      services.clock.advance(days: 119)
      try await retention.sweep()
      #expect(try await store.rows("deliveries") == 3)
      services.clock.advance(days: 2)
      try await retention.sweep()
      #expect(try await store.read { try String.fetchAll($0, sql: "SELECT state FROM deliveries") } == ["held"])
      #expect(try await figures() == before)
    }
  }

  @Test("The delivery log is listed newest first, page by page, and filtered by channel and state")
  func listed() async throws {
    try await run { services, ana in
      for _ in 1...2 { try await notify(ana, services) }
      #expect(try await log(ana) == Self.all + Self.all)
      for state in [DeliveryState.sent, .held, .silent] {
        let wanted = (Self.all + Self.all).filter { $0.hasSuffix(" \(state)") }
        #expect(try await log(ana, .init(state: state)) == wanted && wanted.count == 2)
      }
      #expect(try await log(ana, .init(state: .failed)).isEmpty)
      #expect(try await log(ana, .init(channel: .inbox, state: .sent)).count == 2)
      #expect(try await log(ana, .init(channel: .email, state: .sent)).isEmpty)
      func pages(_ state: DeliveryState?, _ limit: Int) async throws -> [[ID<NotificationDelivery>]] {
        var (pages, cursor): ([[ID<NotificationDelivery>]], PageCursor?) = ([], nil)
        repeat {
          let page = try await ana.send(ListDeliveries.self, .init(state: state, limit: limit, cursor: cursor))
          pages.append(page.items.map(\.id))
          cursor = page.nextCursor
        } while cursor != nil
        return pages
      }
      for (state, counts) in [(nil, [4, 2]), (.held, [2])] as [(DeliveryState?, [Int])] {
        let found = try await pages(state, 4)
        #expect(found.map(\.count) == counts)
        #expect(found.flatMap { $0 } == (try await ana.send(ListDeliveries.self, .init(state: state)).items.map(\.id)))
      }
    }
  }

  @Test("A session in doubt does not see in the delivery log which logins were reported")
  func doubt() async throws {
    try await run { services, ana in
      try await notify(ana, services)
      try await services.publish(
        .identity,
        LoginAlertRaised(
          alertID: LoginAlertID(), accountID: ana.id, level: .notice, device: "Firefox on Linux", place: "Tokyo, Japan",
          at: .now))
      try await services.hasReceived(.notifications, of: .identity)
      #expect(try await log(ana, .init(channel: .inbox)).first == "inbox loginNoticed sent")
      #expect(try await log(ana.inDoubt) == Self.all)
    }
  }
}
