import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import Operations

/// How long it takes until so many reminders that are due at once are all in the inboxes, and how long others' writes wait meanwhile (NOT-2).
///
/// Nobody makes as many activities through the gateway in a bench: while activity and notifications are away, accounts and activities are
/// written into their stores, as copies of one that was made by its owner. They come due once both are ready again, so that all of the time is
/// measured in which they are.
struct ReminderLoad {
  let cluster: RunningCluster
  let people: People
  let report: Report
  /// How many are due.
  let count: Int

  private static let perAccount = 20
  /// The copies could not be let come due in time.
  struct TooLate: Error, CustomStringConvertible {
    let description = "the reminders were due before all of them were written"
  }

  func measure() async throws {
    let person = people.all[1]
    let activity = try await person.client.call(
      CreateActivity.self,
      .init(title: "Reminded", category: .other, goal: .check, schedule: .daily, reminders: [try ReminderTime(text: "12:00")]))
    let written = try await people.makeActivities(1)[0]
    cluster.hold(.activity)
    cluster.hold(.notifications)
    // The end of processes is waited for; there is nothing that reports it.
    while [ServiceName.activity, .notifications].contains(where: { cluster.processID($0) != 0 }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    try fill(activity)
    try cluster.release(.activity)
    try cluster.release(.notifications)
    try await cluster.waitUntilReady()
    let due = try await makeDue(activity)
    try await Task.sleep(for: .milliseconds(max(0, due.milliseconds - Instant.now.milliseconds)))

    let inboxes = try DatabaseQueue(path: "\(cluster.home)/stores/notifications.sqlite", configuration: Self.reading)
    let count = count
    let waits = try await Waits(
      until: {
        try await inboxes.read {
          try Int.fetchOne($0, sql: "SELECT count(*) FROM notifications WHERE kind = 'reminderDue'") ?? 0
        } >= count
      },
      ask: {
        _ = try await people.first.client.call(IncrementEntry.self, .init(activityID: written, day: .today, amount: 0.001))
      })
    let seconds = Double(Instant.now.milliseconds - due.milliseconds) / 1000
    report.add(
      "\(count) reminders due in one minute, until the last is in its inbox", String(format: "%.1f s", seconds), target: "30 s",
      isReached: seconds <= 30)
    report.add(
      "p99 of another's write meanwhile", String(format: "%.1f ms", waits.p99), target: "50 ms", isReached: waits.p99 <= 50)
    report.raw(String(format: "reminders: another's write took %.1f ms (p50), %.1f ms at most", waits.p50, waits.longest))
  }

  private static var reading: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    return configuration
  }

  /// Lets all of the copies come due at the same time.
  ///
  /// - Returns: when they are.
  private func makeDue(_ activity: Activity) async throws -> Instant {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let store = try DatabaseQueue(path: "\(cluster.home)/stores/activity.sqlite", configuration: configuration)
    let due = Instant.now.adding(seconds: 5 + count / 5000)
    try await store.write {
      try $0.execute(
        sql: "UPDATE due_reminders SET due_at = ?, day = ? WHERE activity_id <> ?",
        arguments: [due.milliseconds, activity.startDay.daysSinceEpoch, Data(activity.id.bytes)])
    }
    guard Instant.now < due else { throw TooLate() }
    return due
  }

  private func fill(_ activity: Activity) throws {
    let accounts = (0..<(count + Self.perAccount - 1) / Self.perAccount).map { _ in AccountID() }
    for service in ["activity", "notifications"] {
      try DatabaseQueue(path: "\(cluster.home)/stores/\(service).sqlite").write { database in
        for (number, account) in accounts.enumerated() {
          try database.execute(
            sql: """
              INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, consents, revision)
              VALUES (?, ?, 'UTC', 0, 'en', 1, 'activityData', 1)
              """, arguments: [Data(account.bytes), "bench.reminded\(number)"])
        }
      }
    }
    let later = Instant.now.adding(seconds: 86_400)
    try DatabaseQueue(path: "\(cluster.home)/stores/activity.sqlite").write { database in
      let tables = try ["activities", "activity_versions", "activity_reminders"].map { table in
        (table, try database.columns(in: table).map(\.name).filter { !["activity_id", "account_id"].contains($0) })
      }
      for number in 0..<count {
        let (copy, account) = (Data(ActivityID().bytes), Data(accounts[number / Self.perAccount].bytes))
        for (table, columns) in tables {
          let names = columns.joined(separator: ", ")
          let owner = table == "activity_reminders" ? "" : ", account_id"
          try database.execute(
            sql: """
              INSERT INTO \(table) (activity_id, \(names)\(owner))
              SELECT :copy, \(names)\(owner.isEmpty ? "" : ", :account") FROM \(table) WHERE activity_id = :activity
              """,
            arguments: owner.isEmpty
              ? ["copy": copy, "activity": Data(activity.id.bytes)]
              : ["copy": copy, "account": account, "activity": Data(activity.id.bytes)])
        }
      }
      try database.execute(
        sql: "UPDATE due_reminders SET due_at = ?, day = ? WHERE activity_id <> ?",
        arguments: [later.milliseconds, activity.startDay.daysSinceEpoch, Data(activity.id.bytes)])
      // What else copies are counted for is not what is measured.
      try database.execute(
        sql: """
          UPDATE streaks SET run = 0, longest = 0, unit = 'days', day = ?, revision = 1, due_at = ?
          WHERE revision = 0 AND activity_id <> ?
          """,
        arguments: [
          activity.startDay.daysSinceEpoch, later.milliseconds, Data(activity.id.bytes),
        ])
    }
  }
}
