import ActivityContract
public import Client
import Cluster
import Foundation
public import GRDB
import GeneratedHistory
import IdentityContract
import NotificationsContract
public import Operations
import RewardsContract
import SocialContract

/// The account that has very much of everything: of what the average one has, so many times as much.
public struct HeavyAccount: Sendable {
  let cast: GrowthCast
  /// How many times as much.
  let times: Int

  public init(_ cast: GrowthCast, times: Int = 1000) {
    self.cast = cast
    self.times = times
  }

  /// Writes what it has into the stores while the services are away, once all accounts are there.
  ///
  /// Its movement is what is left of it after years: sums of days, without the samples.
  ///
  /// - Returns: how many friends it has: all accounts where there are fewer than so many.
  public func fill(home: String) throws -> Int {
    let friends = try write(.social, home) { database, account in
      try database.execute(
        sql: """
          INSERT INTO friendships (low_account, high_account, since)
            SELECT min(account_id, :own), max(account_id, :own), 0 FROM (\(Self.friends)) ORDER BY 1, 2
          """, arguments: arguments(account))
      let added = database.changesCount
      try database.execute(
        sql: """
          INSERT INTO relations (low_account, high_account, changed_at, revision)
            SELECT min(account_id, :own), max(account_id, :own), 0, 1 FROM (\(Self.friends)) ORDER BY 1, 2
          """, arguments: arguments(account))
      return added
    }
    try write(.identity, home) { database, account in
      try database.execute(
        sql: Self.pairs(
          """
          INSERT INTO relations (account_id, other_account_id, is_friend, follows, is_followed_by, is_blocked,
            is_blocked_by_other, revision)
          """, "1, 0, 0, 0, 0, 1"), arguments: arguments(account))
    }
    try write(.rewards, home) { database, account in
      try database.execute(
        sql: Self.pairs(
          "INSERT INTO relations (account_id, other_account_id, is_friend, is_apart, revision)", "1, 0, 1"),
        arguments: arguments(account))
    }
    _ = try write(.notifications, home) { database, _ in
      try Self.addNotifications(10 * times, to: cast.heavy.account.id, in: database)
    }
    try write(.activity, home, keep)
    return friends
  }

  /// Its friends, by `:count`.
  private static let friends = """
    SELECT account_id FROM accounts WHERE username GLOB 'g[0-9][0-9][0-9][0-9][0-9][0-9]x[0-9]'
      AND username NOT GLOB 'g000000x*' ORDER BY account_id DESC LIMIT :count
    """

  private static func pairs(_ insert: String, _ values: String) -> String {
    """
    \(insert) SELECT account_id, :own, \(values) FROM (\(friends)) ORDER BY 1;
    \(insert) SELECT :own, account_id, \(values) FROM (\(friends)) ORDER BY 2;
    """
  }

  private func arguments(_ account: Data) -> StatementArguments { ["own": account, "count": 5 * times] }

  private func write<Result>(
    _ service: ServiceName, _ home: String, _ body: (Database, Data) throws -> Result
  ) throws -> Result {
    let store = try GeneratedAccounts.open(service, home: home)
    let result = try store.write { try body($0, Data(cast.heavy.account.id.bytes)) }
    try store.close()
    return result
  }

  /// Writes unread notifications into an account's inbox while the service is away.
  ///
  /// - Returns: the number of the newest.
  public static func addNotifications(_ count: Int, to account: AccountID, in database: Database) throws -> Int {
    let account = Data(account.bytes)
    let before =
      try Int.fetchOne(database, sql: "SELECT last_number FROM inboxes WHERE account_id = ?", arguments: [account]) ?? 0
    try database.execute(
      sql: """
        INSERT INTO inboxes (account_id, last_number) VALUES (:own, :count)
          ON CONFLICT DO UPDATE SET last_number = last_number + :count
        """, arguments: ["own": account, "count": count])
    let statement = try database.makeStatement(
      sql: """
        INSERT INTO notifications (notification_id, account_id, number, kind, content, source, created_at, category)
        VALUES (?, ?, ?, 'taskCompleted', ?, ?, ?, 'tasks')
        """)
    let now = Instant.now.milliseconds
    for number in 1...max(1, count) where number <= count {
      try statement.execute(arguments: [
        Data(ID<NotificationsContract.Notification>().bytes), account, before + number,
        #"{"parameters":{"task":"Work \#(number)"},"links":{}}"#, "heavy/\(number)", now,
      ])
    }
    return before + count
  }

  private func keep(_ database: Database, _ account: Data) throws {
    let days = max(1, 20 * times / cast.heavyActivities.count)
    let history = GeneratedHistory(
      of: cast.heavy.account.id, cast.heavyActivities, days: days, to: LocalDay.utc.advanced(by: -1))
    for part in history.parts { try history.write(part, in: database) }
    try database.execute(
      sql: """
        WITH RECURSIVE days (day) AS (SELECT :last UNION ALL SELECT day - 1 FROM days WHERE day > :last - :count + 1)
        INSERT INTO movement_days (account_id, day, recorded_day, steps, revision, plausible_steps)
          SELECT :own, day, day, 4000 + day % 7000, 1, 4000 + day % 7000 FROM days ORDER BY day;
        INSERT INTO movement_months
            (account_id, month, steps, walking, running, cycling, first_day, best_day, best_steps)
          SELECT account_id, strftime('%Y', day * 86400, 'unixepoch') * 12 + strftime('%m', day * 86400, 'unixepoch') - 1,
            sum(steps), 0, 0, 0, min(day), day, max(steps)
          FROM movement_days WHERE account_id = :own GROUP BY 2;
        """, arguments: ["own": account, "last": LocalDay.utc.advanced(by: -1).daysSinceEpoch, "count": 14 * times])
  }

  // MARK: - Calls

  /// Makes its tasks by calls, some at a time: as many as an account may have open at most.
  public func work(_ client: GatewayClient) async throws {
    let count = min(2 * times, 900)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for number in stride(from: worker, to: count, by: 8) {
            _ = try await client.callUntilDone(CreateTask.self, .init(name: TaskName(text: "Heavy \(number)")))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Reads its lists and looks back, as ``OperationRound`` does for average accounts.
  public func read(_ worker: RoundWorker, through client: GatewayClient) async throws {
    let own = client.authorized(cast.heavy.accessToken)
    do {
      try await worker.call(ListFriends.self, .init(), by: own)
      try await worker.call(ListTasks.self, .init(), by: own)
      try await worker.call(ListActivities.self, .init(), by: own)
      try await worker.call(GetDay.self, .init(day: .today), by: own)
      try await worker.call(GetDay.self, .init(day: .day(worker.day(-700))), by: own)
      try await worker.call(ListHistory.self, .init(), by: own)
      try await worker.call(ListHistory.self, .init(text: "lago"), by: own)
      try await worker.call(ListHistoryPoints.self, .init(), by: own)
      try await worker.call(GetStatistics.self, .init(), by: own)
      try await worker.call(GetCalendar.self, .init(activityID: cast.heavyActivities[0]), by: own)
      try await worker.call(GetSeries.self, .init(activityID: cast.heavyActivities[0]), by: own)
      try await worker.call(GetDashboard.self, .init(), by: own)
      try await worker.call(ListMovementDays.self, .init(from: worker.day(-399), to: worker.day(0)), by: own)
      try await worker.call(ListNotifications.self, .init(), by: own)
      try await worker.call(CountUnreadNotifications.self, .init(), by: own)
      try await worker.call(ListNotificationsSince.self, .init(after: 10 * times / 2), by: own)
      try await worker.call(ListLeaderboard.self, .init(metric: .steps, scope: .friends), by: own)
      try await worker.call(
        IncrementEntry.self, .init(activityID: cast.heavyActivities[0], day: .today, amount: 1), by: own)
    } catch is RoundWorker.Ended {
      // Noted where it happened.
    }
  }
}
