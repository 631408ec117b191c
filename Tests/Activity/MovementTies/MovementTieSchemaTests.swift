import ActivityContract
import EarlierStores
import GRDB
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("Ties of earlier stores, before the movement that they had taken up was kept (MOVE-7)")
struct MovementTieSchemaTests {
  @Test("Ties of earlier stores have taken up each day with an entry in its last state; what was written by hand stands")
  func upgrade() async throws {
    let (account, other) = (AccountID(), AccountID())
    let (walk, ride, untied) = (ActivityID(), ActivityID(), ActivityID())
    @Sendable func day(_ number: Int) -> LocalDay { LocalDay(daysSinceEpoch: Int32(20_000 + number)) }
    try await UpgradedStore.upgrading(.activity, ActivityMigrations.all, before: 29) { transaction in
      let database = transaction.database
      for id in [walk, ride, untied] {
        try database.execute(
          sql: "INSERT INTO activities (activity_id, account_id, title, category, created_at) VALUES (?, ?, 'Andar', 'other', 1)",
          arguments: [id, account])
      }
      for (id, kind) in [(walk, "steps"), (ride, "cycling")] {
        try database.execute(sql: "INSERT INTO activity_ties VALUES (?, ?, ?)", arguments: [id, account, kind])
      }
      for (owner, number, recorded, steps, cycling, revision) in [
        (account, 1, 1, 100, 7, 1), (account, 1, 2, 300, 9, 3), (account, 2, 2, 500, 0, 2), (other, 1, 1, 999, 999, 9),
      ] {
        try database.execute(
          sql: """
            INSERT INTO movement_days (account_id, day, recorded_day, steps, cycling, plausible_steps, revision)
            VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?6)
            """, arguments: [owner, day(number), day(recorded), steps, cycling, revision])
      }
      // Of the second day nothing was written; of the third nothing was measured.
      for (id, number) in [(walk, 1), (walk, 3), (ride, 1), (untied, 1)] {
        try database.execute(
          sql: """
            INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, progress_at)
            VALUES (?, ?, ?, 5, 0, 1, 1)
            """, arguments: [id, day(number), account])
      }
    } check: { store in
      let rows = try await store.read { database in
        try Row.fetchAll(database, sql: "SELECT activity_id, day, movement FROM tie_days").map { row in
          [(row["activity_id"] as ActivityID).description, "\(row["day"] as LocalDay)", "\(row["movement"] as Int)"]
        }
      }
      #expect(Set(rows) == [[walk.description, "\(day(1))", "300"], [ride.description, "\(day(1))", "9"]])
    }
  }
}
