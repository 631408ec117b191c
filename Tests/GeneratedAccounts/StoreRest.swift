import Foundation
import GRDB
import Operations

/// Waits until the services have done all that follows from what was asked of them.
public struct StoreRest: Sendable {
  let home: String

  public init(home: String) { self.home = home }

  /// What stands open in a store, as a number for each table.
  private static let open: [ServiceName: [String]] = [
    .activity: ["streaks WHERE due_at = 0", "due_reminders WHERE due_at = 0", "movement_reorders", "movement_stale_days"],
    .identity: ["register_backlog"],
    .notifications: [
      "mails WHERE state IN ('waiting', 'sending')", "deliveries WHERE state = 'queued'", "push_requests",
    ],
    .rewards: ["challenges WHERE counted_through IS NOT NULL", "waiting_days"],
  ]

  /// Returns when every subscriber has every event, nothing stands open, and that stays so for a while.
  public func wait(seconds: Int = 60) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    var (last, same) = ("", 0)
    while same < 10 {
      guard ContinuousClock.now < end else { throw CopyFailure.noRest(last) }
      let (heads, isAtRest) = try state()
      same = isAtRest && heads == last ? same + 1 : 0
      last = heads
      // No store reports that nothing comes any more.
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func state() throws -> (heads: String, isAtRest: Bool) {
    var heads: [String: Int64] = [:]
    var cursors: [(subscriber: ServiceName, publisher: String, number: Int64)] = []
    var (open, registered): ([String], [Int64]) = ([], [])
    for service in GeneratedAccounts.services {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(5)
      let store = try DatabaseQueue(path: "\(home)/stores/\(service.rawValue).sqlite", configuration: configuration)
      try store.read { database in
        heads[service.rawValue] = try Int64.fetchOne(database, sql: "SELECT max(number) FROM outbox") ?? 0
        for row in try Row.fetchAll(database, sql: "SELECT publisher, number FROM subscription_cursors") {
          cursors.append((service, row["publisher"], row["number"]))
        }
        for part in Self.open[service] ?? [] {
          let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(part)") ?? 0
          if count > 0 { open.append("\(service): \(count) of \(part)") }
        }
        switch service {
        case .identity:
          registered.append(try Int64.fetchOne(database, sql: "SELECT coalesce(max(number), 0) FROM register_records") ?? 0)
        case .social:
          registered.append(
            try Int64.fetchOne(database, sql: "SELECT coalesce(max(record_number), 0) FROM register_account_leaves") ?? 0)
          let uncovered =
            try Int64.fetchOne(
              database,
              sql: """
                SELECT (SELECT count(*) FROM register_leaves) - coalesce((SELECT max(size) FROM register_checkpoints), 0)
                """) ?? 0
          if uncovered > 0 { open.append("\(uncovered) leaves") }
        default: break
        }
      }
      try store.close()
    }
    for cursor in cursors where cursor.number < heads[cursor.publisher] ?? 0 {
      open.append("\(cursor.subscriber) of \(cursor.publisher)")
    }
    if Set(registered).count > 1 { open.append("accounts in the register") }
    let text = heads.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return ("\(text); open: \(open.joined(separator: ", "))", open.isEmpty)
  }
}
