public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension AppealOutcome: DatabaseValueConvertible {}

/// The appeals: one of a case at most.
enum AppealStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "appeals") { database in
      try database.execute(
        sql: """
          CREATE TABLE appeals (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            case_id BLOB NOT NULL UNIQUE REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            appealed_at INTEGER NOT NULL,
            outcome TEXT CHECK (outcome IN ('granted', 'refused')),
            -- Why, for the account, and for administrators.
            reason TEXT,
            note TEXT,
            decided_at INTEGER,
            decided_by BLOB CHECK (length(decided_by) = 16),
            CHECK ((outcome IS NULL) = (decided_at IS NULL)),
            CHECK ((outcome IS NULL) = (reason IS NULL))
          ) STRICT;
          CREATE INDEX appeals_waiting ON appeals (sequence) WHERE decided_at IS NULL;
          CREATE INDEX appeals_by_administrator ON appeals (decided_by) WHERE decided_by IS NOT NULL;
          """)
    }
  }

  /// Adds the appeal in a case, and publishes that no other is possible where the account is suspended by it.
  static func add(_ text: String, in moderationCase: ID<ModerationCase>, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "INSERT INTO appeals (case_id, text, appealed_at) VALUES (?, ?, ?)")
      .execute(arguments: [moderationCase, text, transaction.now])
    try SuspensionStore.endAppeals(in: moderationCase, transaction)
  }

  /// Whether there is an appeal in the case, and whether it is decided.
  static func state(of moderationCase: ID<ModerationCase>, in database: Database) throws -> AppealRules.State {
    let statement = try database.cachedStatement(sql: "SELECT decided_at FROM appeals WHERE case_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [moderationCase]) else { return .none }
    return row.hasNull(atIndex: 0) ? .waiting : .decided
  }

  /// Notes what became of an appeal.
  static func decide(_ input: DecideAppeal.Input, by administrator: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE appeals SET outcome = ?, reason = ?, note = ?, decided_at = ?, decided_by = ?
        WHERE case_id = ? AND decided_at IS NULL
        """
    ).execute(arguments: [input.outcome, input.reason, input.note, transaction.now, administrator, input.caseID])
  }

  /// The cases whose appeals wait, the oldest appeal first, but for those about the reader.
  static func waiting(for reader: AccountID, after sequence: Int64, limit: Int, in database: Database) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(ModerationCaseStore.columns), w.sequence AS appeal_sequence
        FROM appeals w JOIN moderation_cases c ON c.case_id = w.case_id \(ModerationCaseStore.joins)
        WHERE w.decided_at IS NULL AND w.sequence > ? AND c.accused_account <> ? ORDER BY w.sequence LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [sequence, reader, limit])
  }
}
