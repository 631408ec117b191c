import ActivityContract
import EarlierStores
import Foundation
import GRDB
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Activities of earlier stores")
struct ActivitySchemaTests {
  @Test("Activities of earlier stores keep their order, are found by their titles, and have neither reminders nor tags")
  func upgrade() async throws {
    let before = [ActivityMigrations.accounts, ActivityStore.migration(2), EntryStore.migration(3)]
    let newer = [
      ActivityVersionStore.migration(4), ActivityStore.detailsMigration(5), CalendarFeedStore.migration(6),
      MovementTieStore.migration(7),
      LostDayStore.migration(8), ActivityStore.positionMigration(9),
    ]
    let account = AccountID()
    let ids = (0..<3).map { _ in ActivityID() }
    @Sendable func planned(_ filters: DayFilters = DayFilters(), in database: Database) throws -> [ActivityID] {
      let days = try AccountDays(
        of: account, LocalCalendar(ZoneOffsets(.gmt), dayStartHour: 0), now: Instant(milliseconds: 20_001 * 86_400_000),
        in: database)
      return try DayStore.plan(of: days, day: days.today, filters, in: database).activities.map(\.id)
    }
    try await UpgradedStore.upgrading(.activity, before, by: newer) { transaction in
      for (id, title) in zip(ids, ["Leer", "Café", "Correr"]) {
        try transaction.database.execute(
          sql: """
            INSERT INTO activities (activity_id, account_id, title, category, goal_kind, goal_target, schedule_kind, schedule_bits,
              start_day, created_at)
            VALUES (?, ?, ?, 'other', 'check', 1, 'daily', 0, 20000, 1)
            """, arguments: [id, account, title])
      }
    } check: { store in
      let found = try await store.read { database in
        (
          try planned(in: database),
          try planned(DayFilters(title: "CAFE"), in: database),
          try ActivityStore.find(ids[0], of: account, in: database)
        )
      }
      #expect(found.0 == ids && found.1 == [ids[1]])
      #expect(found.2.reminders == [] && found.2.tags == [] && found.2.revision == 1 && !found.2.isArchived)
      // A move finds room between them.
      try await store.write { try ActivityStore.move(ids[2], behind: ids[0], of: account, $0) }
      #expect(try await store.read { try planned(in: $0) } == [ids[0], ids[2], ids[1]])
    }
  }
}
