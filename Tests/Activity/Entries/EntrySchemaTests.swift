import ActivityContract
import EarlierStores
import GRDB
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Entries of earlier stores")
struct EntrySchemaTests {
  @Test("Entries of earlier stores keep their progress, get their account, and yield to later changes only")
  func upgrade() async throws {
    let before = [ActivityMigrations.accounts, ActivityStore.migration(2), EntryStore.migration(3)]
    let (account, activity, day) = (AccountID(), ActivityID(), LocalDay(daysSinceEpoch: 20_001))
    let newer = [
      ActivityVersionStore.migration(4), EntryStore.detailsMigration(5), EntryChangeStore.migration(6), TimerStore.migration(7),
    ]
    try await UpgradedStore.upgrading(.activity, before, by: newer) { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO activities (activity_id, account_id, title, category, goal_kind, goal_target, schedule_kind, schedule_bits,
            start_day, created_at)
          VALUES (?, ?, 'Leer', 'other', 'check', 1, 'daily', 0, 20000, 1)
          """, arguments: [activity, account])
      try transaction.database.execute(
        sql: "INSERT INTO entries (activity_id, day, progress, is_done, recorded_at) VALUES (?, ?, 1, 1, 777)",
        arguments: [activity, day])
    } check: { store in
      let (entry, registers, owner) = try await store.read { database in
        let entry = try EntryStore.find(activity, day, in: database)
        return (
          entry, try EntryRegisters.load(entry, activity, day, in: database),
          try AccountID.fetchOne(database, sql: "SELECT account_id FROM entries")
        )
      }
      let stamp = WriteStamp(Instant(milliseconds: 777))
      #expect(entry == StoredEntry(progress: 1, progressStamp: stamp, recordedAt: stamp.at))
      #expect(registers == EntryRegisters(progress: Register(value: 1, stamp: stamp)) && owner == account)
    }
  }
}
