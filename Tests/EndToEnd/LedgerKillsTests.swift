import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations
import RewardsContract
import Testing

/// Rewards is killed at random moments while hundreds of transfers a second are made: none that was acknowledged is lost, and none is made
/// twice, however often each is sent (REW-2).
///
/// `deploy/racha faults` kills 200 times (`RACHA_LEDGER_KILLS`).
@Suite("Killing rewards amid hundreds of transfers a second", .serialized)
struct LedgerKillsTests {
  private static let password = "Rio-7-lento"
  private static let people = 8

  private static var kills: Int {
    ProcessInfo.processInfo.environment["RACHA_LEDGER_KILLS"].flatMap { Int($0) } ?? 4
  }

  @Test(
    "Killing rewards amid hundreds of transfers a second loses none and makes none twice, and the ledger can be proved (REW-2)")
  func kills() async throws {
    let offer = OfferID()
    let offers = Play.offers(offer).replacing("\"costCoins\":\(Play.cost)", with: "\"costCoins\":1")
      .replacing("\"stock\":1000", with: "\"stock\":100000000")
    let cluster = try RunningCluster(settings: Play.settings, files: ["offers.json": offers])
    defer { cluster.stop() }
    try await cluster.start()
    let (members, administrators) = try await join(cluster)
    let isOver = Flag()
    let begin = ContinuousClock.now
    async let chaos: Void = {
      defer { isOver.raise() }
      for _ in 0..<Self.kills {
        // A random moment is the point: whatever runs then is cut off.
        try await Task.sleep(for: .milliseconds(Int.random(in: 300...900)))
        cluster.kill(.rewards)
      }
    }()
    let expected = try await withThrowingTaskGroup(of: (Int, Int, Int).self) { group in
      for worker in 0..<32 {
        let index = worker % Self.people
        group.addTask {
          let (balance, count) = try await Self.move(
            worker, members[index], by: administrators[worker % administrators.count], offer, until: isOver)
          return (index, balance, count)
        }
      }
      return try await group.reduce(into: (balances: [Int](repeating: 0, count: Self.people), transfers: 0)) {
        $0.balances[$1.0] += $1.1
        $0.transfers += $1.2
      }
    }
    try await chaos
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    print("\(expected.transfers) transfers amid \(Self.kills) kills, \(Int(Double(expected.transfers) / seconds)) a second")
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

  /// Gives a person coins and lets them be spent, one after the other, each call sent until it is acknowledged and some again after that.
  ///
  /// - Returns: how many coins came, less those that went; and how many transfers that were.
  private static func move(
    _ worker: Int, _ member: Member, by administrator: GatewayClient, _ offer: OfferID, until isOver: Flag
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
              AdjustCoins.self, .init(accountID: member.account.id, coins: coins, reason: "A test"), idempotencyKey: key
            ).id)
        }
        #expect(transfers.count == 1)
        balance += coins
      }
    }
    return (balance, number)
  }

  /// People, and administrators in sessions of theirs.
  private func join(_ cluster: RunningCluster) async throws -> ([Member], [GatewayClient]) {
    var members: [Member] = []
    for index in 0..<Self.people { members.append(try await cluster.join("person\(index)", password: Self.password)) }
    var administrators: [GatewayClient] = []
    for index in 0..<4 {
      _ = try await cluster.join("marta\(index)", password: Self.password)
      try cluster.administer("administrator", "marta\(index)")
      let session = try await cluster.client.call(LogIn.self, .init(login: "marta\(index)", password: Self.password))
      administrators.append(cluster.client.authorized(session.accessToken))
    }
    return (members, administrators)
  }
}
