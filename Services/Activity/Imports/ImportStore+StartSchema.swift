import GRDB
import Storage

extension ImportStore {
  /// Adds the number of readings that started without making progress.
  static func startsMigration(_ number: Int) -> Migration {
    Migration(number, "starts of imports") { database in
      try database.execute(
        sql: """
          -- How often the reading was begun since it last came on, raised before anything is done with the file.
          ALTER TABLE imports ADD COLUMN starts INTEGER NOT NULL DEFAULT 0 CHECK (starts >= 0);
          -- Where none of the file's rows is of the person asked for: whose rows it has, one a line.
          ALTER TABLE imports ADD COLUMN persons TEXT;
          """)
    }
  }
}
