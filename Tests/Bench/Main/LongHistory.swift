import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import GeneratedHistory
import Operations

extension People.Person {
  /// Activities for a long history. Each is planned on every day; of half of them any days of the week may be used.
  func makeLongActivities(_ count: Int, from start: LocalDay) async throws -> [ActivityID] {
    var ids: [ActivityID] = []
    for number in 0..<count {
      let activity = try await client.call(
        CreateActivity.self,
        .init(
          title: "Long \(number)", category: ActivityCategory.allCases[number % ActivityCategory.allCases.count],
          goal: number % 4 < 2 ? .check : .quantity(8, unit: "glasses"), schedule: number % 2 == 0 ? .daily : .timesAWeek(3),
          startDay: start))
      ids.append(activity.id)
    }
    return ids
  }
}

extension RunningCluster {
  /// Writes a history into activity's store while the service is away.
  ///
  /// - Parameter isPublished: whether other services learn of its entries, by their events.
  func write(_ history: GeneratedHistory, _ report: Report, isPublished: Bool = false) async throws {
    let start = ContinuousClock.now
    hold(.activity)
    // The end of a process is waited for; there is nothing that reports it.
    while processID(.activity) != 0 { try await Task.sleep(for: .milliseconds(5)) }
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000") }
    let store = try DatabaseQueue(path: "\(home)/stores/activity.sqlite", configuration: configuration)
    for part in history.parts {
      try await store.write { try history.write(part, in: $0) }
    }
    if isPublished { try await store.write { try history.publish(in: $0) } }
    try store.close()
    try release(.activity)
    try await waitUntilReady()
    report.raw("\(history.count) entries written into the store in \(Int((ContinuousClock.now - start).milliseconds)) ms")
  }
}

extension GeneratedHistory {
  fileprivate func publish(in database: Database) throws {
    let statement = try database.makeStatement(sql: "INSERT INTO outbox (name, at, body) VALUES (?, ?, ?)")
    for day in days {
      for activity in activities {
        let event = EntryRecorded(
          accountID: account, activityID: activity, day: day, isDone: true, isDeleted: false, amount: nil, durationSeconds: nil,
          recordedAt: .now)
        try statement.execute(arguments: [EntryRecorded.spec.name, Instant.now.milliseconds, Data(event.json)])
      }
    }
  }
}
