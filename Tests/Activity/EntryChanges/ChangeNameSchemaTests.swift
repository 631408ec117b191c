import ActivityContract
import EarlierStores
import GRDB
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Offline changes of earlier stores, before their names were kept")
struct ChangeNameSchemaTests {
  @Test("Offline changes of earlier stores are recognized by what remains of their writes: in force, deleted or in the history")
  func upgrade() async throws {
    let before = [
      ActivityMigrations.accounts, ActivityStore.migration(2), EntryStore.migration(3), ActivityVersionStore.migration(4),
      EntryStore.detailsMigration(5), EntryChangeStore.migration(6), TimerStore.migration(7),
    ]
    let (account, activity, day) = (AccountID(), ActivityID(), LocalDay(daysSinceEpoch: 20_001))
    try await UpgradedStore.upgrading(
      .activity, before, by: [ChangeNameStore.migration(8), ChangeNameStore.contentsMigration(9)]
    ) { transaction in
      let database = transaction.database
      try database.execute(
        sql: "INSERT INTO activities (activity_id, account_id, title, category, created_at) VALUES (?, ?, 'Leer', 'other', 1)",
        arguments: [activity, account])
      try database.execute(
        sql: """
          INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, comment, progress_at, progress_change,
            progress_device) VALUES (?, ?, ?, 1, 1, 9, 'a', 9, 'progress', 'phone')
          """, arguments: [activity, day, account])
      try database.execute(
        sql: "INSERT INTO entry_stamps VALUES (?1, ?2, 'comment', 8, 'comment', 'phone'), (?1, ?2, 'photo', 8, NULL, NULL)",
        arguments: [activity, day])
      try database.execute(
        sql: "INSERT INTO entry_deletions VALUES (?, ?, 3, 'deletion', 'watch')", arguments: [activity, day])
      for (step, field, change, cause) in [
        (1, "comment", "half", "late"), (2, "photo", "half", "overwritten"), (3, "comment", "lost", "late"),
        (4, "location", "lost", "late"), (5, "comment", nil, "overwritten"),
      ] as [(Int, String, String?, String)] {
        try database.execute(
          sql: """
            INSERT INTO entry_changes (activity_id, day, step, first_step, field, written_at, change_id, device_id, cause, lost_at)
            VALUES (?, ?, ?, 1, ?, 2, ?, ?, ?, 5)
            """, arguments: [activity, day, step, field, change, change.map { _ in "phone" }, cause])
      }
    } check: { store in
      let names = try await store.read { database in
        try ["progress phone", "comment phone", "deletion watch", "half phone", "lost phone", "lost watch"].map { text in
          let parts = text.split(separator: " ").map(String.init)
          // What they said is not known any more, so anything of the name is theirs.
          return try ChangeNameStore.superseded(
            OfflineChange(
              id: try ChangeID(text: parts[0]), deviceID: try DeviceID(text: parts[1]), madeAt: Instant(milliseconds: 0),
              activityID: activity, day: day, isDone: true), in: database)
        }
      }
      #expect(names == [[], [], [], [.comment], [.comment, .location], nil])
      #expect(try await store.rows("entry_change_names") == 5)
    }
  }
}
