import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Testing

@Suite("Steps become coins, messages and notifications, through all six services", .serialized)
struct StepsBecomeCoinsTests {
  @Test("Steps of a file in Fitbit's format become coins and notifications while each of the six services is killed")
  func generated() async throws {
    var random = SystemRandomNumberGenerator()
    try await play(HourlySteps.generated(people: 6, days: 12, random: &random), rounds: Play.rounds(2))
  }

  @Test("The hourly steps of 34 real people become coins and notifications while each of the six services is killed")
  func real() async throws {
    guard let file = try HourlySteps.real() else {
      print("skipped: the Fitbit file is not beside the project")
      return
    }
    #expect(file.people.count == 34 && file.hours == 24_084 && file.steps == 6_893_291)
    try await play(file, rounds: Play.rounds(3))
  }

  private func play(_ file: HourlySteps, rounds: Int) async throws {
    let offer = OfferID()
    let cluster = try RunningCluster(settings: Play.settings, files: ["offers.json": Play.offers(offer)])
    defer { cluster.stop() }
    try await cluster.start()
    let zone = NoonZone()
    let chaosIsOver = Flag()
    async let chaos: Void = {
      defer { chaosIsOver.raise() }
      try await Chaos(cluster: cluster, rounds: rounds).run()
    }()
    let players = try await withThrowingTaskGroup(of: Player.self) { group in
      for (index, person) in file.people.sorted(by: { $0.key < $1.key }).enumerated() {
        group.addTask { try await Player.join("walker\(index)", person.value, zone, cluster) }
      }
      return try await group.reduce(into: [Player]()) { $0.append($1) }
    }
    // Half of them are seen from the beginning, the others come when all is counted.
    for player in players.prefix(players.count / 2) { try await player.appear() }
    let live = LiveReader(players[0])
    let reading = Task { await live.read() }
    defer { reading.cancel() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for player in players { group.addTask { try await Play.send(player, until: chaosIsOver) } }
      group.addTask { try await Play.talk(players[0], players[1]) }
      try await group.waitForAll()
    }
    try await chaos

    for player in players {
      let days = try await eventually {
        try await player.days()
      } until: {
        $0 == player.expectedDays
      }
      #expect(days == player.expectedDays, "\(player.account.username)'s days")
      let balance = try await eventually {
        try await player.client.callUntilDone(GetBalance.self, .init())
      } until: {
        $0.coins == player.expectedCoins
      }
      #expect(balance.coins == player.expectedCoins, "\(player.account.username)'s coins")
    }
    for player in players.dropFirst(players.count / 2) { try await player.appear() }
    try await compareLeaderboards(players)
    try await redeem(players, offer)
    try await compareNotifications(players, cluster)
    try await Play.compareTalk(players[0], players[1])
    let expected = try await players[0].inbox().map(\.number)
    let numbers = await live.numbers(upTo: expected.last ?? 0)
    // Beside them come those that another has replaced since.
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "live events came in order, none twice: \(numbers)")
    #expect(Set(expected).subtracting(numbers).isEmpty, "no live event was lost: \(numbers)")
    try Play.checkLedger(cluster)
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  /// Everybody is on the leaderboards with all that counted, once, and with the rank that follows from it.
  private func compareLeaderboards(_ players: [Player]) async throws {
    let expected: [(LeaderboardMetric, KeyPath<Player, Int>)] = [
      (.steps, \Player.expectedEarningSteps), (.coins, \Player.expectedCoins),
    ]
    for (metric, score) in expected {
      let scores = Dictionary(uniqueKeysWithValues: players.map { ($0.account.id, $0[keyPath: score]) })
      let input = ListLeaderboard.Input(metric: metric, period: .allTime, limit: 200)
      let leaderboard = try await players[0].client.callUntilDone(ListLeaderboard.self, input)
      #expect(
        Dictionary(uniqueKeysWithValues: leaderboard.items.map { ($0.accountID, $0.score) }) == scores.filter { $0.value > 0 })
      #expect(leaderboard.items.allSatisfy { place in place.rank == 1 + scores.values.count { $0 > place.score } })
    }
  }

  /// Those of the first who can afford it.
  private func redeemers(_ players: [Player]) -> [Player] { players.prefix(5).filter { $0.expectedCoins >= Play.cost } }

  /// They redeem the offer, each request sent three times with one key.
  private func redeem(_ players: [Player], _ offer: OfferID) async throws {
    for player in redeemers(players) {
      var codes: Set<RedemptionCode> = []
      for _ in 0..<3 {
        let redemption = try await player.client.callUntilDone(RedeemOffer.self, .init(offerID: offer), idempotencyKey: "once")
        codes.insert(try #require(redemption.code))
      }
      #expect(codes.count == 1)
      let balance = try await player.client.callUntilDone(GetBalance.self, .init())
      #expect(balance.coins == player.expectedCoins - Play.cost)
    }
  }

  /// For each event that notifies there is one notification, but for coins: those of a day count up in one, under a new number each time.
  private func compareNotifications(_ players: [Player], _ cluster: RunningCluster) async throws {
    let earned = try Play.coinsEarned(cluster)
    let redeemers = Set(redeemers(players).map(\.account.id))
    for player in players {
      let events = earned[player.account.id.description] ?? []
      let redemptions = redeemers.contains(player.account.id) ? 1 : 0
      func count(_ kind: NotificationKind, _ inbox: [NotificationsContract.Notification]) -> Int {
        inbox.count { $0.kind == kind }
      }
      func coins(_ inbox: [NotificationsContract.Notification]) -> Int {
        inbox.filter { $0.kind == "coinsEarned" }.compactMap { notification -> Int? in
          guard case .number(let coins) = notification.parameters["coins"] else { return nil }
          return coins
        }.reduce(0, +)
      }
      let inbox = try await eventually {
        try await player.inbox()
      } until: { inbox in
        coins(inbox) >= events.reduce(0, +) && count("offerRedeemed", inbox) >= redemptions
          && count("accountVerified", inbox) >= 1
      }
      #expect(count("offerRedeemed", inbox) == redemptions && count("accountVerified", inbox) == 1)
      let numbers = inbox.map(\.number)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
      #expect(coins(inbox) == events.reduce(0, +), "\(player.account.username)'s notifications report the events")
      #expect(coins(inbox) == player.expectedCoins)
      #expect(Set(inbox.map(\.id)).count == inbox.count)
    }
  }
}
