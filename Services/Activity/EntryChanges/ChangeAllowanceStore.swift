import ActivityContract
import GRDB
import Operations
import Storage

/// How many offline changes of an account are accepted per UTC day: the record of a change outlives what it wrote.
enum ChangeAllowanceStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "allowances of entries' changes") { database in
      try database.execute(
        sql: """
          -- The number of changes accepted on the last day with any.
          CREATE TABLE entry_change_counts (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            -- since 1970-01-01, by UTC
            day INTEGER NOT NULL,
            changes INTEGER NOT NULL CHECK (changes >= 0)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// Draws from the allowance for changes that were taken in; repeated and refused ones cost nothing.
  ///
  /// - Throws: `too_many_changes` with the time until the next day; then none of the changes may stay.
  static func draw(_ changes: Int, for account: AccountID, _ transaction: Transaction) throws {
    guard changes > 0 else { return }
    let (day, passed) = transaction.now.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let all = try transaction.database.first(
      """
      INSERT INTO entry_change_counts (account_id, day, changes) VALUES (?1, ?2, ?3)
      ON CONFLICT DO UPDATE SET changes = iif(day = excluded.day, changes, 0) + excluded.changes, day = excluded.day
      RETURNING changes
      """, .id(account), .integer(day), .number(changes)
    ) { $0.number(0) }
    guard let all, all > SyncEntries.maxPerDay else { return }
    let seconds = max(1, Int((86_400_000 - passed) / 1000))
    throw EntryFailure.tooManyChanges.with(
      ["limit": .number(SyncEntries.maxPerDay), "seconds": .number(seconds)], retryAfterSeconds: seconds)
  }
}
