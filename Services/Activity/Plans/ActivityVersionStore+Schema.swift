import GRDB
import Storage

extension ActivityVersionStore {
  /// Moves goal and schedule out of `activities` into versions, and adds tables for pauses and skipped days.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "activity versions") { database in
      try database.execute(
        sql: """
          CREATE TABLE activity_versions (
            activity_id BLOB NOT NULL,
            -- the first day for which it holds; of the first version the calendar's first, -719162
            from_day INTEGER NOT NULL,
            account_id BLOB NOT NULL,
            goal_kind TEXT NOT NULL CHECK (goal_kind IN ('check', 'quantity', 'duration')),
            -- 1 for a check, thousandths for a quantity, seconds for a duration
            goal_target INTEGER NOT NULL CHECK (goal_target >= 1),
            goal_unit TEXT CHECK (goal_unit <> ''),
            goal_direction TEXT NOT NULL CHECK (goal_direction IN ('atLeast', 'atMost')),
            schedule_kind TEXT NOT NULL CHECK (
              schedule_kind IN ('daily', 'weekdays', 'monthDays', 'everyNDays', 'timesAWeek', 'nthWeekdays')),
            -- bit n: weekday n, or day n of the month; bit 7 * nth + weekday, nth 0 for the last; else the schedule's number
            schedule_code INTEGER NOT NULL,
            -- the day from which everyNDays counts
            anchor_day INTEGER NOT NULL,
            start_day INTEGER NOT NULL,
            end_day INTEGER CHECK (end_day >= start_day),
            PRIMARY KEY (activity_id, from_day),
            FOREIGN KEY (account_id, activity_id) REFERENCES activities (account_id, activity_id) ON DELETE CASCADE,
            CHECK (goal_kind <> 'check' OR goal_target = 1 AND goal_direction = 'atLeast'),
            CHECK ((goal_kind = 'quantity') = (goal_unit IS NOT NULL)),
            CHECK (CASE schedule_kind
              WHEN 'daily' THEN schedule_code = 0
              WHEN 'weekdays' THEN schedule_code BETWEEN 2 AND 254 AND schedule_code & 1 = 0
              WHEN 'monthDays' THEN schedule_code BETWEEN 2 AND 4294967294 AND schedule_code & 1 = 0
              WHEN 'everyNDays' THEN schedule_code BETWEEN 2 AND 365
              WHEN 'timesAWeek' THEN schedule_code BETWEEN 1 AND 7
              ELSE schedule_code BETWEEN 2 AND 8796093022206 AND schedule_code & 1 = 0 END)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX activity_versions_by_account ON activity_versions (account_id, activity_id);

          INSERT INTO activity_versions (activity_id, from_day, account_id, goal_kind, goal_target, goal_unit, goal_direction,
            schedule_kind, schedule_code, anchor_day, start_day)
          SELECT activity_id, -719162, account_id, goal_kind, goal_target, goal_unit, 'atLeast', schedule_kind, schedule_bits,
            start_day, start_day
          FROM activities;

          CREATE TABLE activities_new (
            activity_id BLOB NOT NULL PRIMARY KEY CHECK (length(activity_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            title TEXT NOT NULL CHECK (title <> ''),
            reason TEXT CHECK (reason <> ''),
            category TEXT NOT NULL,
            created_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          INSERT INTO activities_new SELECT activity_id, account_id, title, reason, category, created_at FROM activities;
          DROP TABLE activities;
          ALTER TABLE activities_new RENAME TO activities;
          CREATE UNIQUE INDEX activities_by_account ON activities (account_id, activity_id);
          """)
      for sql in [PauseStore.table, SkipStore.table] { try database.execute(sql: sql) }
    }
  }
}
