import ActivityContract
import ArgumentParser
import Client
import Cluster
import Foundation
import GeneratedHistory
import IdentityContract
import Operations

/// The days' lists and the history of an account with many entries, and an entry more, asked for by one client that waits for each answer.
struct LookingBack {
  let cluster: RunningCluster
  let yardstick: Yardstick
  let report: Report
  /// How many entries the account has.
  let entries: Int

  private static let activities = 200

  func measure() async throws {
    let person = try await People.make("bench.longtime", cluster)
    let now = Instant.now
    // Yesterday by the account's clock, which is UTC.
    let last = LocalDay(daysSinceEpoch: Int32(now.milliseconds / 86_400_000) - 1)
    let days = max(1, entries / LookingBack.activities)
    // From two months before the first entry on: of those weeks nothing is kept.
    let activities = try await person.makeLongActivities(LookingBack.activities, from: last.advanced(by: -days - 60))
    let history = GeneratedHistory(of: person.account.id, activities, days: days, to: last)
    try await cluster.write(history, report)
    let hello = try await Waits { _ in try await answered(GatewayClient(url: yardstick.url), "/") }
    report.raw(
      "one after the other: hello: p50 \(text(hello.p50)), p99 \(text(hello.p99)); what follows in milliseconds and times its p50"
    )
    try await measureEntries(person, activities, hello)
    try await measureDays(person, history, hello)
    try await measureHistory(person, history, hello)
  }

  // MARK: - What is asked for

  private func measureEntries(_ person: People.Person, _ activities: [ActivityID], _ hello: Waits) async throws {
    let waits = try await Waits(activities.count - Waits.before) { number in
      let activity = activities[number]
      let input: RecordEntry.Input =
        number % 4 < 2
        ? .init(activityID: activity, day: .today, isDone: true) : .init(activityID: activity, day: .today, amount: 3)
      _ = try await person.client.callUntilDone(RecordEntry.self, input)
    }
    add("an entry, one after the other", waits, hello)
  }

  private func measureDays(_ person: People.Person, _ history: GeneratedHistory, _ hello: Waits) async throws {
    let days: [(String, ListedDay)] = [
      ("today", .today), ("the oldest", .day(history.days.lowerBound)),
      // Whether a week was missed is asked of each activity of so many times a week.
      ("one of a week without entries", .day(history.days.lowerBound.advanced(by: -14))),
    ]
    for (name, day) in days {
      let path = try GatewayClient.path(GetDay.self, .init(day: day))
      let list = try await person.client.call(GetDay.self, .init(day: day))
      guard list.activities.count == history.activities.count else {
        throw ValidationError("\(list.activities.count) activities in a day's list")
      }
      let waits = try await Waits { _ in try await answered(person.client, path) }
      add(
        "a day's list, \(history.activities.count) activities, \(history.days.count) days of entries: \(name)", waits, hello,
        maximum: 5)
    }
  }

  private func measureHistory(_ person: People.Person, _ history: GeneratedHistory, _ hello: Waits) async throws {
    var slowest: (name: String, waits: Waits)?
    for query in history.queries {
      let path = try GatewayClient.path(ListHistory.self, query.query)
      let waits = try await Waits { _ in try await answered(person.client, path) }
      publish("first page, \(query.name)", waits, hello)
      if query.query == HistoryQuery() {
        add("the history's first page at \(history.count) entries", waits, hello, maximum: 10)
      } else if waits.p99 > slowest?.waits.p99 ?? 0 {
        slowest = (query.name, waits)
      }
    }
    guard let slowest else { return }
    add("the slowest of its filters: \(slowest.name)", slowest.waits, hello, maximum: 10)
  }

  private func answered(_ client: GatewayClient, _ path: String) async throws {
    let answer = try await client.get(path)
    guard answer.status == 200 else { throw ValidationError("\(path) is answered \(answer.status)") }
  }

  // MARK: - Reporting

  /// - Parameter maximum: the longest wait that is asked for, if one is.
  private func add(_ name: String, _ waits: Waits, _ hello: Waits, maximum: Double? = nil) {
    publish(name, waits, hello)
    let figure = "\(text(waits.p99)) ms"
    if let maximum {
      report.add("\(name), p99", figure, target: "\(Int(maximum)) ms", isReached: waits.p99 <= maximum)
    } else {
      report.publish("\(name), p99", figure)
    }
  }

  private func publish(_ name: String, _ waits: Waits, _ hello: Waits) {
    report.raw("\(name): p50 \(text(waits.p50)), p99 \(text(waits.p99)), \(text(waits.p50 / hello.p50)) times hello's")
  }

  private func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
