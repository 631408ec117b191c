import ActivityContract
import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations

/// How many day changes a second rewards takes in, through coins and every challenge and achievement that ships (REW-7).
///
/// As many accounts as that cannot walk through the gateway in a bench. So the events are put into activity's outbox, and the accounts into
/// rewards' read model, while both are away; then rewards receives them as it always does.
struct ChallengeLoad {
  let cluster: RunningCluster
  let report: Report
  /// How many accounts walk.
  let accounts: Int

  /// Changes of each account: of a week's days, each with some more steps than before.
  private static let changes = 20
  /// Changes of each account before the clock starts: a week, by which new accounts complete what is easily completed.
  private static let warmUp = 7

  func measure() async throws {
    let ids = (0..<accounts).map { _ in AccountID() }
    let services = [ServiceName.rewards, .activity]
    for service in services { cluster.hold(service) }
    // The end of processes is waited for; there is nothing that reports it.
    while services.contains(where: { cluster.processID($0) != 0 }) { try await Task.sleep(for: .milliseconds(5)) }
    try know(ids)
    let head = try publish(ids)
    try cluster.release(.activity)
    try cluster.release(.rewards)
    let rewards = try DatabaseQueue(path: "\(cluster.home)/stores/rewards.sqlite", configuration: Self.reading)
    func cursor() throws -> Int64 {
      try rewards.read {
        try Int64.fetchOne($0, sql: "SELECT number FROM subscription_cursors WHERE publisher = 'activity'") ?? 0
      }
    }
    let begun = head - Int64(accounts * (Self.changes - Self.warmUp))
    while try cursor() < begun { try await Task.sleep(for: .milliseconds(2)) }
    let (start, first) = (ContinuousClock.now, try cursor())
    while try cursor() < head { try await Task.sleep(for: .milliseconds(5)) }
    let seconds = (ContinuousClock.now - start).milliseconds / 1000
    let rate = Double(head - first) / seconds
    let completed = try await rewards.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM challenge_completions") ?? 0
    }
    report.raw("challenges: \(head - first) day changes in \(String(format: "%.1f", seconds)) s, \(completed) completions")
    report.add(
      "challenge progress (day changes a second)", "\(Int(rate))", target: "5,000", isReached: rate >= 5000)
    try await cluster.waitUntilReady()
  }

  private static var reading: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    return configuration
  }

  private func know(_ accounts: [AccountID]) throws {
    let store = try DatabaseQueue(path: "\(cluster.home)/stores/rewards.sqlite")
    try store.write { database in
      for (number, account) in accounts.enumerated() {
        try database.execute(
          sql: """
            INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, consents, revision)
            VALUES (?, ?, 'UTC', 0, 'en', 1, 'activityData', 1)
            """, arguments: [Data(account.bytes), "bench.walker\(number)"])
      }
    }
  }

  /// - Returns: the number of the last event.
  private func publish(_ accounts: [AccountID]) throws -> Int64 {
    let today = LocalDay(daysSinceEpoch: Int32(Instant.now.milliseconds / 86_400_000))
    let store = try DatabaseQueue(path: "\(cluster.home)/stores/activity.sqlite")
    return try store.write { database in
      for change in 0..<Self.changes {
        for (number, account) in accounts.enumerated() {
          let steps = 4000 + 1000 * (number % 4) + 150 * (change / 7)
          let day = MovementDaysChanged.Day(
            day: today.advanced(by: -(change % 7)), steps: steps, earningSteps: steps, walkingMeters: Double(steps) * 0.7,
            runningMeters: Double(steps) / 4, cyclingMeters: Double(steps),
            earningWalkingMeters: Double(steps) * 0.7, earningRunningMeters: Double(steps) / 4,
            earningCyclingMeters: Double(steps), revision: change + 1)
          let event = MovementDaysChanged(accountID: account, recordedDay: today, days: [day])
          try database.execute(
            sql: "INSERT INTO outbox (name, at, body) VALUES (?, ?, ?)",
            arguments: [MovementDaysChanged.spec.name, Instant.now.milliseconds, Data(event.json)])
        }
      }
      return try Int64.fetchOne(database, sql: "SELECT max(number) FROM outbox") ?? 0
    }
  }
}
