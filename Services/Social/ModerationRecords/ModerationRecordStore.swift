public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension ModerationAction: DatabaseValueConvertible {}

/// The actions of administrators, kept even if the case was deleted with its account; they then no longer name the account.
enum ModerationRecordStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "moderation records") { database in
      try database.execute(
        sql: """
          CREATE TABLE moderation_records (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            record_id BLOB NOT NULL UNIQUE CHECK (length(record_id) = 16),
            action TEXT NOT NULL,
            case_id BLOB NOT NULL CHECK (length(case_id) = 16),
            subject_kind TEXT NOT NULL,
            -- Null where the account is gone.
            accused_account BLOB CHECK (length(accused_account) = 16),
            administrator_account BLOB CHECK (length(administrator_account) = 16),
            outcome TEXT NOT NULL,
            removes_content INTEGER NOT NULL CHECK (removes_content IN (0, 1)),
            until INTEGER,
            note TEXT,
            at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX moderation_records_by_accused ON moderation_records (accused_account) WHERE accused_account IS NOT NULL;
          CREATE INDEX moderation_records_by_administrator ON moderation_records (administrator_account)
            WHERE administrator_account IS NOT NULL;
          """)
    }
  }

  /// Records what an administrator did in a case.
  static func add(
    _ action: ModerationAction, _ found: ModerationCaseRecord, _ decision: ModerationDecision, note: ReportText?,
    by administrator: AccountID, _ transaction: Transaction
  ) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO moderation_records (record_id, action, case_id, subject_kind, accused_account, administrator_account, outcome,
          removes_content, until, note, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      ID<ModerationRecord>(), action, found.id, found.subject.kind, found.accused, administrator, decision.outcome,
      decision.removesContent, decision.until, note, transaction.now,
    ])
  }

  /// What was done, newest first.
  static func list(before sequence: Int64, limit: Int, in database: Database) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT r.*, u.username, a.username AS administrator_username FROM moderation_records r
        LEFT JOIN accounts u ON u.account_id = r.accused_account
        LEFT JOIN accounts a ON a.account_id = r.administrator_account
        WHERE r.sequence < ? ORDER BY r.sequence DESC LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [sequence, limit])
  }
}

extension ModerationRecord {
  init(_ row: Row) {
    self.init(
      id: row["record_id"], action: row["action"], caseID: row["case_id"], kind: row["subject_kind"],
      accountID: row["accused_account"], username: row["username"], outcome: row["outcome"],
      removesContent: row["removes_content"],
      until: row["until"], note: row["note"], administratorAccountID: row["administrator_account"],
      administratorUsername: row["administrator_username"], at: row["at"])
  }
}
