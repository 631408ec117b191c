import GRDB
import Storage

/// The files of reports that have ended, and when they are to be removed.
enum DeletionReportStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "files of deletion reports") { database in
      try database.execute(
        sql: """
          CREATE TABLE report_files (
            mail_id BLOB NOT NULL PRIMARY KEY CHECK (length(mail_id) = 16),
            created_at INTEGER NOT NULL,
            remove_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX report_files_due ON report_files (remove_at);
          """)
    }
  }
}
