import ActivityContract
import Foundation
import GRDB
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Step samples of earlier stores, before there was other movement")
struct MovementSchemaTests {
  private static func old(_ environment: ServiceEnvironment) -> ServiceDefinition {
    ServiceDefinition(
      .activity,
      migrations: [
        ActivityMigrations.accounts, ActivityStore.migration(2), EntryStore.migration(3), MovementSampleStore.stepsMigration(4),
        ActivityMigrations.accountSettings,
      ])
  }

  @Test("Step samples of earlier stores are kept with their days and sources, and counted by interval from then on")
  func upgrade() async throws {
    let home = "/tmp/racha-old-\(UInt32.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: home) }
    let account = AccountID()
    let day = try LocalDay(text: "2026-11-20")
    let midnight = try Instant(text: "2026-11-20T00:00:00Z")
    @Sendable func at(_ minutes: Int) -> Instant { midnight.adding(seconds: minutes * 60) }
    try await ServicesInProcess.running([{ Self.old($0) }], at: nil, home: home) { services in
      try await services.store(of: .activity).write { transaction in
        let database = transaction.database
        try database.execute(
          sql: """
            INSERT INTO step_accounts VALUES (7, ?);
            INSERT INTO step_sources VALUES (3, 7, 'health', 'Watch'), (4, 7, 'health', 'iPhone');
            """, arguments: [account])
        func keep(_ id: String, _ from: Int, _ to: Int, _ steps: Int, _ source: Int, _ shares: [Int]) throws {
          try database.execute(
            sql: "INSERT INTO step_samples VALUES (7, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [id, at(from), at(to), steps, source, day, shares[0]])
          for (later, share) in shares.enumerated().dropFirst() {
            try database.execute(
              sql: "INSERT INTO step_sample_days VALUES (7, ?, ?, ?)", arguments: [id, day.advanced(by: later), share])
          }
        }
        try keep("watch", 480, 540, 1000, 3, [1000])
        try keep("phone", 510, 570, 600, 4, [600])
        try keep("night", 1410, 1470, 101, 3, [50, 51])
        try keep("none", 1430, 1450, 0, 3, [0, 0])
        for (later, steps) in [(0, 1650), (1, 51)] {
          try database.execute(
            sql: "INSERT INTO step_totals VALUES (?, ?, ?, ?, ?)",
            arguments: [account, day.advanced(by: later), day.advanced(by: 1), steps, 1])
        }
      }
    }
    try await ServicesInProcess.running([{ Activities.service($0) }], at: nil, home: home) { services in
      let store = services.store(of: .activity)
      try await store.until { try await store.rows("movement_stale_days") == 0 }
      let days = try await store.read { database in
        try MovementDayStore.list(of: account, from: day, to: day.advanced(by: 9), in: database)
      }
      #expect(days.map(\.steps) == [1350, 51] && days.map(\.plausibleSteps) == [1350, 51])
      let sum = try await store.read { try MovementMonthStore.sum(of: account, before: .max, in: $0) }
      #expect(sum.steps == 1401 && sum.best?.day == day && sum.best?.steps == 1350 && sum.firstDay == day)
      let left = try await store.write { transaction in
        try MovementSampleStore.delete(
          ["night", "watch"], of: account, recordedDay: day.advanced(by: 2), by: FairnessRules(), transaction
        ).days
      }
      #expect(left.map(\.steps) == [600, 0])
      // The accounts' numbers go on.
      let next = try await store.write { try MovementAccountStore.findOrAdd(AccountID(), in: $0.database).number }
      #expect(next == 8)
    }
  }
}
