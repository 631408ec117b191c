import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import Storage
import Synchronization
import Testing

@testable import NotificationsService

@Suite("Notifications of offers that end soon and of lost ranks, for accounts that want them (NOT-5)", .timeLimit(.minutes(1)))
final class DailyCheckTests {
  /// What rewards answers, and whether it does.
  private final class Answers: Sendable {
    struct State {
      var offers: [ExpiringOffer] = []
      var rank: Int?
      var month = "2026-11-01"
      var isAway = false
      var asked: [AccountID] = []
    }

    let state = Mutex(State())

    func withLock<T>(_ body: (inout State) throws -> T) rethrows -> T { try state.withLock { try body(&$0) } }
  }

  let identity = IdentityDouble()
  private let state = Answers()
  let home = "/tmp/racha-daily-checks-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func run(at now: String, _ body: (ServicesInProcess) async throws -> Void) async throws {
    let rewards: ServicesInProcess.Build = { [state] _ in
      var service = ServiceDefinition(.rewards, migrations: [])
      service.serve(
        GetExpiringOffers.self,
        read: { input, _, _ in
          try state.withLock { state in
            guard !state.isAway else { throw Failure(RequestFailure.unavailable) }
            state.asked += input.accountIDs
            return .init(accounts: input.accountIDs.map { _ in .init(items: state.offers) })
          }
        })
      service.serve(
        GetFriendRanks.self,
        read: { input, _, _ in
          let (rank, month) = state.withLock { ($0.rank, $0.month) }
          let friendRank = FriendRank(month: try LocalDay(text: month), rank: rank)
          return .init(ranks: input.accountIDs.map { _ in friendRank })
        })
      return service
    }
    try await ServicesInProcess.running(
      [{ try Notifications.service($0) }, rewards], identity: identity, at: now, home: home, body)
  }

  private func again(_ person: Person, _ services: ServicesInProcess) -> Person {
    Person(bus: services.gateway, caller: Caller(kind: .account, account: person.id, session: SessionID(), isVerified: true))
  }

  private func untilLooked(_ services: ServicesInProcess) async throws {
    let now = services.clock.now
    let store = services.store(of: .notifications)
    try await store.until {
      try await store.read { database in
        try Int.fetchOne(database, sql: "SELECT count(*) FROM daily_checks WHERE due_at <= ?", arguments: [now]) == 0
      }
    }
  }

  private func texts(_ person: Person, at now: String) async throws -> [String] {
    var texts: [String] = []
    try await run(at: now) { services in
      try await untilLooked(services)
      texts = try await again(person, services).send(ListNotifications.self, .init()).items.map(\.text)
    }
    return texts
  }

  private func join(_ kinds: [String]) async throws -> (asking: Person, other: Person) {
    var people: [Person] = []
    try await run(at: "2026-11-18T12:00:00.000Z") { services in
      people = [try await services.register(), try await services.register()]
      try await services.hasReceived(.notifications, of: .identity)
      let choices = kinds.map { NotificationChoice(kind: $0, .inbox, isOn: true) }
      _ = try await people[0].send(UpdateNotificationPreferences.self, .init(choices: choices))
      try await untilLooked(services)
    }
    return (people[0], people[1])
  }

  private func offer(_ title: String) throws -> ExpiringOffer {
    ExpiringOffer(
      offerID: OfferID(), title: title, partnerName: "Café Central", costCoins: 250,
      endsAt: try Instant(text: "2026-11-20T22:00:00.000Z"))
  }

  @Test(
    "Offers that end soon are reported in the evening to accounts that want it, each once and a few a day"
  )
  func offers() async throws {
    let (ana, ben) = try await join(["offerEnding"])
    let offers = try (0..<7).map { try offer("Coffee \($0)") }
    state.withLock { $0.offers = offers }
    #expect(try await texts(ana, at: "2026-11-18T17:59:00.000Z").isEmpty)
    state.withLock { $0.isAway = true }
    #expect(try await texts(ana, at: "2026-11-18T18:00:00.000Z").isEmpty)
    state.withLock { $0.isAway = false }
    let first = try await texts(ana, at: "2026-11-18T18:05:00.000Z")
    #expect(first.count == 5)
    #expect(
      first.last == "“Coffee 0” at Café Central ends at 2026-11-20 22:00 UTC. You have the 250 coins that it costs.")
    #expect(try await texts(ana, at: "2026-11-18T20:00:00.000Z").count == 5)
    #expect(try await texts(ana, at: "2026-11-19T18:00:00.000Z").count == 7)
    #expect(try await texts(ana, at: "2026-11-20T18:00:00.000Z").count == 7)
    #expect(state.withLock { $0.asked.contains(ben.id) } == false)
  }

  @Test(
    "A lost rank is reported once a day, within a month, to accounts that want it, and not if nobody overtook them"
  )
  func ranks() async throws {
    let (ana, _) = try await join(["leaderboardPositionsLost"])
    func check(_ rank: Int?, at now: String, in month: String = "2026-11-01") async throws -> [String] {
      state.withLock { ($0.rank, $0.month) = (rank, month) }
      return try await texts(ana, at: now)
    }
    #expect(try await check(2, at: "2026-11-18T18:00:00.000Z").isEmpty)
    let lost = "Your rank among your friends by this month's steps: 4. It was 2."
    #expect(try await check(4, at: "2026-11-19T18:00:00.000Z") == [lost])
    #expect(try await check(5, at: "2026-11-19T23:00:00.000Z") == [lost])
    #expect(try await check(3, at: "2026-11-20T18:00:00.000Z") == [lost])
    #expect(try await check(nil, at: "2026-11-21T18:00:00.000Z") == [lost])
    #expect(try await check(9, at: "2026-11-22T18:00:00.000Z") == [lost])
    #expect(try await check(12, at: "2026-12-01T18:00:00.000Z", in: "2026-12-01") == [lost])
    try await run(at: "2026-12-01T19:00:00.000Z") { services in
      let choice = NotificationChoice(kind: "leaderboardPositionsLost", .inbox, isOn: nil)
      _ = try await again(ana, services).send(UpdateNotificationPreferences.self, .init(choices: [choice]))
    }
    #expect(try await check(20, at: "2026-12-02T18:00:00.000Z", in: "2026-12-01") == [lost])
    #expect(state.withLock { $0.asked.count } == 6)
  }
}
