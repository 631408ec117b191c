import ActivityContract
import GRDB
import Operations
import Storage

extension ActivityStore {
  /// Details of activities in addition to goal and schedule: position, archive, reminders and tags.
  static func detailsMigration(_ number: Int) -> Migration {
    Migration(number, "activities' order, archive, reminders and tags") { database in
      try database.execute(
        sql: """
          -- The title as searches compare it, see TitleKey.
          ALTER TABLE activities ADD COLUMN title_key TEXT NOT NULL DEFAULT '';
          -- The account's order: smaller positions come first.
          ALTER TABLE activities ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
          -- The local day on which it was archived; null if it is not.
          ALTER TABLE activities ADD COLUMN archived_day INTEGER;
          ALTER TABLE activities ADD COLUMN revision INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1);
          ALTER TABLE activities ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
          UPDATE activities SET changed_at = created_at;
          UPDATE activities SET place = numbered.number * \(ActivityStore.positionStep)
          FROM (
            SELECT activity_id, row_number() OVER (PARTITION BY account_id ORDER BY activity_id) AS number FROM activities
          ) AS numbered
          WHERE numbered.activity_id = activities.activity_id;
          CREATE INDEX activities_by_place ON activities (account_id, place, activity_id);

          CREATE TABLE activity_reminders (
            activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
            -- after midnight, by the clocks of the account's zone
            minute INTEGER NOT NULL CHECK (minute BETWEEN 0 AND 1439),
            PRIMARY KEY (activity_id, minute)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE activity_tags (
            activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
            tag TEXT NOT NULL CHECK (tag <> ''),
            PRIMARY KEY (activity_id, tag)
          ) STRICT, WITHOUT ROWID;
          """)
      for row in try Row.fetchAll(database, sql: "SELECT activity_id, title FROM activities") {
        try database.execute(
          sql: "UPDATE activities SET title_key = ? WHERE activity_id = ?",
          arguments: [TitleKey.text(row["title"]), row["activity_id"] as ActivityID])
      }
    }
  }

  /// Renames the column of an activity's place in the account's order to `position`.
  static func positionMigration(_ number: Int) -> Migration {
    Migration(number, "positions of activities") { database in
      try database.execute(
        sql: """
          ALTER TABLE activities RENAME COLUMN place TO position;
          DROP INDEX activities_by_place;
          CREATE INDEX activities_by_position ON activities (account_id, position, activity_id);
          """)
    }
  }
}
