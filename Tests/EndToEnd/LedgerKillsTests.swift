import AsyncHTTPClient
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations
import RewardsContract
import Synchronization
import Testing

/// Rewards is killed at random moments while hundreds of transfers a second are made: none that was acknowledged is lost, and none is made
/// twice, however often each is sent (REW-2).
///
/// `deploy/racha faults` kills 200 times (`RACHA_LEDGER_KILLS`).
@Suite("Killing rewards during hundreds of transfers a second", .serialized)
struct LedgerKillsTests {
  private static let password = "Rio-7-lento"
  private static let people = 8
  private static let workers = 64
  /// As many connections as there are workers, so that none waits for another's.
  private static let http = {
    var connections = HTTPClient.Configuration()
    connections.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = workers
    return HTTPClient(configuration: connections)
  }()

  private static var kills: Int {
    ProcessInfo.processInfo.environment["RACHA_LEDGER_KILLS"].flatMap { Int($0) } ?? 4
  }

  @Test(
    "Killing rewards during hundreds of transfers a second loses none, makes none twice, and keeps the ledger provable (REW-2)")
  func kills() async throws {
    let offer = OfferID()
    let offers = Play.offers(offer).replacing("\"costCoins\":\(Play.cost)", with: "\"costCoins\":1")
      .replacing("\"stock\":1000", with: "\"stock\":100000000")
    let cluster = try RunningCluster(settings: Play.settings, files: ["offers.json": offers])
    defer { cluster.stop() }
    try await cluster.start()
    let (members, administrators) = try await join(cluster, GatewayClient(url: cluster.url, http: Self.http))
    let (isOver, acknowledged) = (Flag(), Acknowledged())
    async let chaos = {
      defer { isOver.raise() }
      return try await Self.kill(cluster, whileCounting: acknowledged)
    }()
    let expected = try await Self.move(members, by: administrators, offer, acknowledged, until: isOver)
    print("\(expected.transfers) transfers amid \(Self.kills) kills, \(Int(try await chaos)) a second while rewards ran")
    try await cluster.waitUntilReady()
    for (member, balance) in zip(members, expected.balances) {
      #expect(try await member.client.callUntilDone(GetBalance.self, .init()).coins == balance)
    }
    let transfers = try Play.read(cluster, .rewards) { try Int.fetchOne($0, sql: "SELECT count(*) FROM transfers") }
    #expect(transfers == expected.transfers)
    // The store in use, and a copy.
    try cluster.administer("ledger", "check", cluster.home)
    try cluster.administer("backup", "\(cluster.home)/copies")
    try cluster.administer("ledger", "check", "\(cluster.home)/copies")
    try Self.damage("\(cluster.home)/copies/rewards.sqlite")
    let failure = #expect(throws: RunningCluster.NotReady.self) {
      try cluster.administer("ledger", "check", "\(cluster.home)/copies")
    }
    #expect(failure?.description.hasSuffix("ended in 1") == true)
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  /// Kills rewards so many times, each at a random moment once transfers are made again.
  ///
  /// - Returns: how many were acknowledged in a second, of the time in which it ran.
  private static func kill(_ cluster: RunningCluster, whileCounting acknowledged: Acknowledged) async throws -> Double {
    var (made, time) = (0, Duration.zero)
    for _ in 0..<kills {
      let before = acknowledged.count
      while acknowledged.count == before { try await Task.sleep(for: .milliseconds(2)) }
      let (start, first) = (ContinuousClock.now, acknowledged.count)
      // A random moment is the point: whatever runs then is cut off.
      try await Task.sleep(for: .milliseconds(Int.random(in: 300...900)))
      made += acknowledged.count - first
      time += ContinuousClock.now - start
      cluster.kill(.rewards)
    }
    return Double(made) / (time / .seconds(1))
  }

  /// Somebody whose coins move.
  private struct Mover: Sendable {
    let client: GatewayClient
    let account: AccountID
  }

  /// Counts what was acknowledged.
  private final class Acknowledged: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
  }

  /// Gives somebody a coin by hand.
  private static func damage(_ copy: String) throws {
    try DatabaseQueue(path: copy).write { database in
      try database.execute(
        sql: """
          DROP TRIGGER ledger_accounts_move_by_transfer;
          UPDATE ledger_accounts SET balance = balance + 1 WHERE kind = 'person';
          """)
    }
  }

  /// Lets workers move coins until it is over.
  ///
  /// - Returns: what each person has then, and how many transfers there were.
  private static func move(
    _ members: [Mover], by administrators: [GatewayClient], _ offer: OfferID, _ acknowledged: Acknowledged, until isOver: Flag
  ) async throws -> (balances: [Int], transfers: Int) {
    try await withThrowingTaskGroup(of: (Int, Int, Int).self) { group in
      for worker in 0..<workers {
        let index = worker % people
        group.addTask {
          let (balance, count) = try await move(
            worker, members[index], by: administrators[worker % administrators.count], offer, acknowledged, until: isOver)
          return (index, balance, count)
        }
      }
      return try await group.reduce(into: (balances: [Int](repeating: 0, count: people), transfers: 0)) {
        $0.balances[$1.0] += $1.1
        $0.transfers += $1.2
      }
    }
  }

  /// Gives a person coins and lets them be spent, one after the other, each call sent until it is acknowledged and some again after that.
  ///
  /// - Returns: how many coins came, less those that went; and how many transfers that were.
  private static func move(
    _ worker: Int, _ member: Mover, by administrator: GatewayClient, _ offer: OfferID, _ acknowledged: Acknowledged,
    until isOver: Flag
  ) async throws -> (balance: Int, transfers: Int) {
    var (balance, number) = (0, 0)
    while !isOver.isUp {
      number += 1
      let key = "\(worker)-\(number)"
      if number.isMultiple(of: 3) {
        var codes: Set<RedemptionCode> = []
        for _ in 0..<(number.isMultiple(of: 5) ? 2 : 1) {
          let redemption = try await member.client.callUntilDone(RedeemOffer.self, .init(offerID: offer), idempotencyKey: key)
          codes.insert(try #require(redemption.code))
        }
        #expect(codes.count == 1)
        balance -= 1
      } else {
        let coins = number % 7 + 1
        var transfers: Set<TransferID> = []
        for _ in 0..<(number.isMultiple(of: 5) ? 2 : 1) {
          transfers.insert(
            try await administrator.callUntilDone(
              AdjustCoins.self, .init(accountID: member.account, coins: coins, reason: "A test"), idempotencyKey: key
            ).id)
        }
        #expect(transfers.count == 1)
        balance += coins
      }
      acknowledged.add()
    }
    return (balance, number)
  }

  /// People, and administrators in sessions of theirs, who all call by that client.
  private func join(_ cluster: RunningCluster, _ client: GatewayClient) async throws -> ([Mover], [GatewayClient]) {
    var members: [Mover] = []
    for index in 0..<Self.people {
      let member = try await cluster.join("person\(index)", password: Self.password)
      members.append(Mover(client: client.authorized(member.accessToken), account: member.account.id))
    }
    var administrators: [GatewayClient] = []
    for index in 0..<4 {
      _ = try await cluster.join("marta\(index)", password: Self.password)
      try cluster.administer("administrator", "marta\(index)")
      let session = try await cluster.client.call(LogIn.self, .init(login: "marta\(index)", password: Self.password))
      administrators.append(client.authorized(session.accessToken))
    }
    return (members, administrators)
  }
}
