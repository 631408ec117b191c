import ActivityContract
import EarlierStores
import GRDB
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("Imported totals of earlier stores (MOVE-3)")
struct ImportedTotalSchemaTests {
  @Test("Totals of earlier imports get the names that the same files give now; duplicates count once, and the day is recounted")
  func upgrade() async throws {
    let day = try LocalDay(text: "2026-11-20")
    let midnight = Int64(day.daysSinceEpoch) * 86_400_000
    try await UpgradedStore.upgrading(.activity, ActivityMigrations.all, before: 30) { transaction in
      let database = transaction.database
      try database.execute(
        sql: """
          INSERT INTO movement_accounts VALUES (7, ?1), (8, ?2);
          INSERT INTO movement_sources VALUES
            (7, 1, 'Fitbit', '', 0, NULL), (7, 2, 'Google Fit', '', 0, NULL), (7, 3, 'Google Fit, days', '', 0, NULL),
            (7, 4, 'Health', '', 0, NULL), (8, 1, 'Fitbit', '', 0, NULL);
          """, arguments: [AccountID(), AccountID()])
      var number: Int64 = 0
      func keep(
        _ id: String, _ account: Int64, _ source: Int, _ kind: MovementKind, _ start: Int64, _ minutes: Int64, _ amount: Int,
        form: Int = 0
      ) throws {
        number += 1
        let place = SampleKey(account: account, kind: kind, day: day).rawValue + number
        try database.execute(
          sql: "INSERT INTO movement_samples VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?)",
          arguments: [place, account, id, start, start + minutes * 60_000, amount, source, form])
      }
      // An hour that had grown, and the same of somebody else.
      try keep("a1a1f82f1e80-8389d9b7eceadb8f", 7, 1, .steps, midnight + 32_400_000, 60, 40)
      try keep("a1a1f82f1e80-424c42096f59e030", 7, 1, .steps, midnight + 32_400_000, 60, 300)
      try keep("a1a1f82f1e80-8389d9b7eceadb8f", 8, 1, .steps, midnight + 32_400_000, 60, 40)
      // The last hour of a day, in a zone half an hour behind: it lies in two days.
      try keep("a1a1fb302980-c473fbd900a2a969", 7, 1, .steps, midnight + 84_600_000, 60, 7, form: 1)
      for (later, from) in [(0, 84_600_000), (1, 86_400_000)] {
        try database.execute(
          sql: "INSERT INTO movement_sample_pieces VALUES (7, 'a1a1fb302980-c473fbd900a2a969', ?, ?, ?, ?)",
          arguments: [day.advanced(by: later), midnight + Int64(from), midnight + Int64(from) + 1_800_000, later * 1_800_000])
      }
      try keep("a1a1f64e77a0-0f072e2be1cc0e89", 7, 2, .steps, midnight + 900_000, 15, 5)
      try keep("a1a1f640bc00-775b8804353e4217", 7, 3, .steps, midnight, 1440, 500)
      try keep("b1a1f640bc00-2b7c559078bc4669", 7, 3, .walking, midnight, 1440, 50_000)
      // A device's own, and another source's with a name of that form.
      try keep("my-own", 7, 1, .steps, midnight, 1, 9)
      try keep("a1a1f82f1e80-8389d9b7eceadb80", 7, 4, .steps, midnight, 1, 9)
    } check: { store in
      let rows = try await store.read { database in
        try Row.fetchAll(
          database, sql: "SELECT sample_id, account_number, amount, version FROM movement_samples ORDER BY rowid"
        ).map { "\($0[0] as String) \($0[1] as Int) \($0[2] as Int) \($0[3] as Int)" }
      }
      #expect(
        Set(rows) == [
          "a1a1f82f1e80-7d5aaa28471c1d4c 7 300 300", "a1a1f82f1e80-7d5aaa28471c1d4c 8 40 40",
          "a1a1fb302980-cb88e02a8cd3f4d7 7 7 7", "a1a1f64e77a0-09fc32860b97e19d 7 5 5",
          "a1a1f640bc00-9e2ed2f074372c71 7 500 500", "b1a1f640bc00-9e2ed2f074372c71 7 50000 50000", "my-own 7 9 0",
          "a1a1f82f1e80-8389d9b7eceadb80 7 9 0",
        ])
      let (stale, pieces) = try await store.read { database in
        (
          try Row.fetchAll(database, sql: "SELECT account_number, kind, day FROM movement_stale_days").map { row in
            [row[0] as Int, row[1] as Int, Int((row[2] as LocalDay).daysSinceEpoch)]
          },
          try String.fetchAll(database, sql: "SELECT sample_id FROM movement_sample_pieces")
        )
      }
      #expect(stale == [[7, 0, Int(day.daysSinceEpoch)]])
      #expect(pieces == Array(repeating: "a1a1fb302980-cb88e02a8cd3f4d7", count: 2))
    }
  }
}
