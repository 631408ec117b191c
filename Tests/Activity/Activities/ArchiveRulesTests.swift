import ActivityContract
import EarlierStores
import GRDB
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("The archived days that no pause covers")
struct ArchiveRulesTests {
  private static func day(_ number: Int) -> LocalDay { LocalDay(daysSinceEpoch: Int32(20_000 + number)) }

  @Test(
    "The archived days until today that no pause covers are found as ranges",
    arguments: [
      (3, 8, [], [3...7]), (3, 3, [], []), (3, 2, [], []), (3, 4, [], [3...3]),
      (3, 8, [4...5], [3...3, 6...7]), (3, 8, [1...2], [3...7]), (3, 8, [1...3], [4...7]), (3, 8, [1...9], []),
      (3, 8, [7...9], [3...6]), (3, 8, [8...9], [3...7]), (3, 8, [3...4, 5...6, 10...12], [7...7]),
      (3, 8, [2...3, 5...5, 7...20], [4...4, 6...6]),
    ] as [(Int, Int, [ClosedRange<Int>], [ClosedRange<Int>])])
  func rest(first: Int, today: Int, pauses: [ClosedRange<Int>], rest: [ClosedRange<Int>]) {
    func days(_ range: ClosedRange<Int>) -> ClosedRange<LocalDay> {
      ArchiveRulesTests.day(range.lowerBound)...ArchiveRulesTests.day(range.upperBound)
    }
    let own = pauses.map(days).map {
      Pause(id: PauseID(), activityID: .placeholder, firstDay: $0.lowerBound, lastDay: $0.upperBound)
    }
    let found = ArchiveRules.rest(from: ArchiveRulesTests.day(first), until: ArchiveRulesTests.day(today), beside: own)
    #expect(found == rest.map(days))
  }

  @Test("An upgraded store restores an archive's pause that was changed or deleted, and keeps the account's own pauses")
  func upgrade() async throws {
    let before = [
      ActivityMigrations.accounts, ActivityStore.migration(2), EntryStore.migration(3), ActivityVersionStore.migration(4),
      ActivityStore.detailsMigration(5),
    ]
    let (whole, shortened, kept) = (ActivityID(), ActivityID(), ActivityID())
    let own = PauseID()
    let (today, end) = (ArchiveRulesTests.day(0), PlannableDays.all.upperBound)
    try await UpgradedStore.upgrading(.activity, before, by: [ActivityStore.archiveMigration(6)]) { transaction in
      let database = transaction.database
      for (id, archivedDay) in [(whole, today), (shortened, today), (kept, nil)] as [(ActivityID, LocalDay?)] {
        try database.execute(
          sql: """
            INSERT INTO activities (activity_id, account_id, title, category, created_at, archived_day)
            VALUES (?, zeroblob(16), 'Leer', 'other', 1, ?)
            """, arguments: [id, archivedDay])
      }
      for (pause, id, last) in [(PauseID(), whole, end), (PauseID(), shortened, today), (own, kept, end)] {
        try database.execute(
          sql: "INSERT INTO activity_pauses (pause_id, activity_id, first_day, last_day) VALUES (?, ?, ?, ?)",
          arguments: [pause, id, today, last])
      }
    } check: { store in
      let pauses = try await store.read { database in
        try [whole, shortened, kept].map { try PauseStore.list(of: $0, in: database) }
      }
      #expect(pauses[0].map(\.isArchive) == [true] && pauses[0].map(\.lastDay) == [end])
      #expect(pauses[1].count == 2 && pauses[1].filter(\.isArchive).map(\.lastDay) == [end])
      #expect(pauses[2] == [Pause(id: own, activityID: kept, firstDay: today, lastDay: end)])
    }
  }
}
