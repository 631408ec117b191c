import ActivityContract
import Foundation
import GRDB
import Logging
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Activities from before")
struct ActivitySchemaTests {
  @Test("keep their order, are found by their titles, and have neither reminders nor tags")
  func upgrade() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("racha-activities-\(UUID().uuidString)").path
    defer {
      for end in ["", "-wal", "-shm", ".lock"] where FileManager.default.fileExists(atPath: file + end) {
        do {
          try FileManager.default.removeItem(atPath: file + end)
        } catch {
          Issue.record(error)
        }
      }
    }
    func open(_ migrations: [Migration]) throws -> Store {
      try Store(
        path: file, service: .activity, migrations: migrations, secret: [UInt8](repeating: 1, count: 32),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
    let before = [Accounts.migration(1), Activities.migration(2), Entries.migration(3), ActivityVersions.migration(4)]
    let account = AccountID()
    let ids = (0..<3).map { _ in ActivityID() }
    @Sendable func planned(_ filters: DayFilters = DayFilters(), in database: Database) throws -> [ActivityID] {
      let days = try AccountDays(
        of: account, LocalCalendar(ZoneOffsets(.gmt), dayStartHour: 0), now: Instant(milliseconds: 20_001 * 86_400_000),
        in: database)
      return try Days.plan(of: days, day: days.today, filters, in: database).activities.map(\.id)
    }
    let old = try open(Array(before.prefix(3)))
    try await old.write { transaction in
      for (id, title) in zip(ids, ["Leer", "Café", "Correr"]) {
        try transaction.database.execute(
          sql: """
            INSERT INTO activities (activity_id, account_id, title, category, goal_kind, goal_target, schedule_kind, schedule_bits,
              start_day, created_at)
            VALUES (?, ?, ?, 'other', 'check', 1, 'daily', 0, 20000, 1)
            """, arguments: [id, account, title])
      }
    }
    await old.close()
    let new = try open(
      before + [ActivitySchema.migration(5), CalendarFeeds.migration(6), Ties.migration(7), LostDays.migration(8)])
    let found = try await new.read { database in
      (
        try planned(in: database),
        try planned(DayFilters(title: "CAFE"), in: database),
        try Activities.find(ids[0], of: account, in: database)
      )
    }
    #expect(found.0 == ids && found.1 == [ids[1]])
    #expect(found.2.reminders == [] && found.2.tags == [] && found.2.revision == 1 && !found.2.isArchived)
    // A move finds room between them.
    try await new.write { try Activities.move(ids[2], behind: ids[0], of: account, $0) }
    #expect(
      try await new.read { try planned(in: $0) } == [ids[0], ids[2], ids[1]])
    await new.close()
  }
}
