public import Client
public import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations
import RewardsContract
import SocialContract

/// The accounts that have very much of everything: of what the average one has, so many times as much each. They are friends, and each
/// follows the next.
public struct HeavyAccounts: Sendable {
  let cast: GrowthCast
  private let times: Int

  /// As many of its own tasks as an account may have open, but for some that are made while all of this is measured.
  private static let mostOpenTasks = 900

  public init(_ cast: GrowthCast, times: Int = 1000) {
    (self.cast, self.times) = (cast, times)
  }

  /// Writes what they have into the stores while the services are away, once all accounts are there.
  ///
  /// - Returns: how many friends each has: all accounts where there are fewer than so many.
  public func fill(home: String) throws -> Int {
    let ids = cast.heavies.map(\.account.id)
    let accounts = ids.indices.map { index in
      HeavyAccount(
        id: ids[index], next: ids[(index + 1) % ids.count], activities: cast.heavyActivities[index], times: times,
        transfers: (0..<14 * times).map { _ in TransferID() })
    }
    var friends = 0
    try write(accounts, .social, home) { friends = try $0.meet(in: $1) }
    try write(accounts, .identity, home) { try $0.know(in: $1) }
    try write(accounts, .rewards, home) { try $0.earn(in: $1) }
    try write(accounts, .notifications, home) { _ = try HeavyAccount.addNotifications(10 * times, to: $0.id, in: $1) }
    try write(accounts, .activity, home) { try $0.keep(in: $1) }
    return friends
  }

  private func write(
    _ accounts: [HeavyAccount], _ service: ServiceName, _ home: String, _ body: (HeavyAccount, Database) throws -> Void
  ) throws {
    let store = try GeneratedAccounts.open(service, home: home)
    try store.write { database in
      database.add(
        function: DatabaseFunction("new_id", argumentCount: 0) { _ in Data(TransferID().bytes) })
      try database.execute(
        sql: """
          CREATE TEMP TABLE befriended (account_id BLOB NOT NULL PRIMARY KEY) WITHOUT ROWID;
          INSERT INTO befriended
            SELECT account_id FROM accounts WHERE username GLOB 'g[0-9][0-9][0-9][0-9][0-9][0-9]x[0-9]'
              AND username NOT GLOB 'g000000x*' ORDER BY account_id DESC LIMIT :count;
          """, arguments: ["count": 5 * times])
    }
    for account in accounts { try store.write { try body(account, $0) } }
    try store.close()
  }

  // MARK: - Calls

  /// Makes their open tasks by calls, some at a time.
  public func work(_ client: GatewayClient) async throws {
    let count = min(times, Self.mostOpenTasks)
    for heavy in cast.heavies {
      let own = client.authorized(heavy.accessToken)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
          group.addTask {
            for number in stride(from: worker, to: count, by: 8) {
              _ = try await own.callUntilDone(CreateTask.self, .init(name: TaskName(text: "Heavy \(number)")))
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// A worker for each of them, in whose rounds it and the next one are the friends; strangers are two of those that were copied.
  public func workers(
    _ cluster: RunningCluster, through client: GatewayClient, _ bus: ClusterBus
  ) async throws -> [RoundWorker] {
    var strangers: [Member] = []
    for number in RoundWorker.seats.suffix(2) {
      strangers.append(try await cluster.signIn(AccountTemplates.username(copy: 0, number: number)))
    }
    return cast.heavies.indices.map { index in
      RoundWorker(
        [cast.heavies[index], cast.heavies[(index + 1) % cast.heavies.count]] + strangers, cast: cast, through: client, bus,
        home: cluster.home, name: "heavy", timings: OperationTimings())
    }
  }

  /// Plays the rounds of average accounts, and reads what only these accounts have much of.
  ///
  /// - Parameter isFirst: whether the worker plays for the first time: so it also plays what an account does once.
  public static func play(_ worker: RoundWorker, isFirst: Bool) async throws {
    for round in OperationRound.all where round.frequency == .often || (isFirst && round.frequency == .once) {
      try await round(worker)
    }
    try await OperationRound.much(worker)
  }
}
