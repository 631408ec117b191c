import ActivityContract
import EarlierStores
import GRDB
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("Days from before earning distances were counted separately")
struct EarningDistanceMigrationTests {
  @Test("Distances of earlier days earn fully if nothing of the day is flagged, and are recounted otherwise")
  func upgrade() async throws {
    let account = AccountID()
    try await UpgradedStore.upgrading(.activity, ActivityMigrations.all, before: 40) { transaction in
      let database = transaction.database
      try database.execute(
        sql: "INSERT INTO movement_accounts (account_number, account_id) VALUES (7, ?)", arguments: [account])
      // Too fast on the bicycle on the second day.
      for (day, marks) in [(20_000, 0), (20_001, 8 << 24)] {
        try database.execute(
          sql: """
            INSERT INTO movement_days
              (account_id, day, recorded_day, steps, walking, running, cycling, plausible_steps, marks, revision)
            VALUES (?, ?, ?, 100, 1000, 2000, 3000, 100, ?, 1)
            """, arguments: [account, day, day, marks])
      }
    } check: { store in
      let (states, stale) = try await store.read { database in
        (
          try [20_000, 20_001].map { try MovementDayStore.find(LocalDay(daysSinceEpoch: $0), of: account, in: database) },
          try Row.fetchAll(database, sql: "SELECT kind, day FROM movement_stale_days").map { [$0[0] as Int, $0[1] as Int] }
        )
      }
      #expect(states.map { $0?.published.earningWalkingMeters } == [1, 1])
      #expect(states.map { $0?.published.earningRunningMeters } == [2, 2])
      #expect(states.map { $0?.published.earningCyclingMeters } == [3, 0])
      #expect(states.map { $0?.earningSteps } == [100, 100])
      #expect(stale == [[3, 20_001]])
    }
  }
}
