import GRDB
import Storage

extension ImportStore {
  /// Adds the number of readings that started without making progress.
  static func startsMigration(_ number: Int) -> Migration {
    Migration(number, "starts of imports") { database in
      try database.execute(
        sql: """
          -- How often reading was started since it last made progress, counted up before the file is touched.
          ALTER TABLE imports ADD COLUMN starts INTEGER NOT NULL DEFAULT 0 CHECK (starts >= 0);
          -- If the file has no rows of the requested person: the people whose rows it has, one per line.
          ALTER TABLE imports ADD COLUMN persons TEXT;
          """)
    }
  }
}
