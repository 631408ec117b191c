import ActivityContract
import EarlierStores
import GRDB
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("Reminders of earlier stores (NOT-2)")
struct ReminderSchemaTests {
  @Test("Reminders set before they were sent at all come due from the upgrade on")
  func upgrade() async throws {
    let (activity, account) = (ActivityID(), AccountID())
    try await UpgradedStore.upgrading(.activity, ActivityMigrations.all, before: 46) { transaction in
      try transaction.database.execute(
        sql: "INSERT INTO activities (activity_id, account_id, title, category, created_at) VALUES (?, ?, 'Walk', 'fitness', 0)",
        arguments: [activity, account])
      try transaction.database.execute(
        sql: "INSERT INTO activity_reminders (activity_id, minute) VALUES (?, 450)", arguments: [activity])
    } check: { store in
      let before = Instant.now.milliseconds - 60_000
      let isDue = try await store.read { database in
        try Bool.fetchOne(
          database,
          sql: """
            SELECT activity_id = ? AND account_id = ? AND minute = 450 AND due_at = 0 AND after_at > ? FROM due_reminders
            """, arguments: [activity, account, before])
      }
      #expect(isDue == true)
    }
  }
}
