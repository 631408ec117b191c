import ActivityContract
import Client
import Cluster
import Foundation
import GeneratedHistory
import IdentityContract
import Operations

/// How long a stranger's entries wait, one after the other, while an account with many entries, each with a comment and a place, is deleted:
/// until nothing of it is left in the files (ID-12).
struct ErasureLoad {
  let cluster: RunningCluster
  let report: Report
  /// How many entries the account has.
  let entries: Int

  private static let activities = 200

  func measure() async throws {
    let person = try await People.make("bench.leaver", cluster)
    // Yesterday by the account's clock, which is UTC.
    let last = LocalDay(daysSinceEpoch: Int32(Instant.now.milliseconds / 86_400_000) - 1)
    let days = max(1, entries / Self.activities)
    let activities = try await person.makeLongActivities(Self.activities, from: last.advanced(by: -days))
    let history = GeneratedHistory(of: person.account.id, activities, days: days, to: last)
    try await cluster.write(history, report)
    let stranger = try await People.make("bench.bystander", cluster)
    let others = try await stranger.makeLongActivities(Self.activities, from: last)
    let deletion = try await person.client.call(
      DeleteAccount.self, .init(password: FormField(text: person.login.password)))
    let start = ContinuousClock.now
    let token = GetAccountDeletion.Input(token: deletion.token)
    var number = 0
    let isOver: () async throws -> Bool = {
      guard number % 50 == 0 else { return false }
      return try await stranger.client.call(GetAccountDeletion.self, token).state == .finished
    }
    let waits = try await Waits(until: isOver) {
      // Checked, then counted, then both again with other values.
      let turn = number / others.count
      let (activity, index) = (others[number % others.count], number % others.count)
      var input = RecordEntry.Input(activityID: activity, day: .today)
      if index % 4 < 2 { input.isDone = turn % 2 == 0 } else { input.amount = Double(turn % 2 + 1) }
      _ = try await stranger.client.callUntilDone(RecordEntry.self, input)
      number += 1
    }
    report.raw(
      String(
        format: "%d entries of a stranger while %d are deleted, %.0f ms: p50 %.1f, p99 %.1f, longest %.1f", number, history.count,
        (ContinuousClock.now - start).milliseconds, waits.p50, waits.p99, waits.longest))
    let name = "an entry while an account with \(history.count) is deleted"
    report.add("\(name), p99", String(format: "%.1f ms", waits.p99), target: "50 ms", isReached: waits.p99 <= 50)
    report.add("\(name), longest", String(format: "%.1f ms", waits.longest), target: "100 ms", isReached: waits.longest <= 100)
  }
}
