-- Written by a test from the migrations (RACHA_TEST_WRITE=1), which alone make the tables.

CREATE TABLE accounts (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  username TEXT NOT NULL,
  nickname TEXT,
  time_zone TEXT NOT NULL,
  day_start_hour INTEGER NOT NULL CHECK (day_start_hour BETWEEN 0 AND 6),
  language TEXT NOT NULL,
  is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
  revision INTEGER NOT NULL
, consents TEXT NOT NULL DEFAULT '', mutes_help INTEGER NOT NULL DEFAULT 0 CHECK (mutes_help IN (0, 1)), photo_tag TEXT, gives_read_receipts INTEGER NOT NULL DEFAULT 1 CHECK (gives_read_receipts IN (0, 1)), suspended_until INTEGER, task_enrollment TEXT NOT NULL DEFAULT 'everyone'
  CHECK (task_enrollment IN ('everyone', 'everybody', 'friends', 'nobody'))) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_by_username ON accounts (username);

CREATE TABLE active_days (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  day INTEGER NOT NULL,
  -- how many entries of the day reached their goals
  done INTEGER NOT NULL CHECK (done >= 0),
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE "activities" (
  activity_id BLOB NOT NULL PRIMARY KEY CHECK (length(activity_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  title TEXT NOT NULL CHECK (title <> ''),
  reason TEXT CHECK (reason <> ''),
  category TEXT NOT NULL,
  created_at INTEGER NOT NULL
, title_key TEXT NOT NULL DEFAULT '', position INTEGER NOT NULL DEFAULT 0, archived_day INTEGER, revision INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1), changed_at INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX activities_by_account ON activities (account_id, activity_id);

CREATE INDEX activities_by_position ON activities (account_id, position, activity_id);

CREATE TRIGGER due_reminders_unarchived AFTER UPDATE OF archived_day ON activities WHEN new.archived_day IS NULL BEGIN
  UPDATE due_reminders SET due_at = 0, after_at = NULL WHERE activity_id = new.activity_id AND due_at IS NULL;
END;

CREATE TRIGGER streaks_begun AFTER INSERT ON activities BEGIN
  INSERT INTO streaks (activity_id, account_id) VALUES (new.activity_id, new.account_id);
END;

CREATE TABLE activity_pauses (
  pause_id BLOB NOT NULL PRIMARY KEY CHECK (length(pause_id) = 16),
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  first_day INTEGER NOT NULL,
  last_day INTEGER NOT NULL CHECK (last_day >= first_day)
, is_archive INTEGER NOT NULL DEFAULT 0 CHECK (is_archive IN (0, 1))) STRICT, WITHOUT ROWID;

CREATE INDEX activity_pauses_by_day ON activity_pauses (activity_id, first_day, last_day);

CREATE UNIQUE INDEX activity_pauses_of_archive ON activity_pauses (activity_id) WHERE is_archive = 1;

CREATE TRIGGER streaks_of_activity_pauses_delete AFTER DELETE ON activity_pauses BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = old.activity_id;
END;

CREATE TRIGGER streaks_of_activity_pauses_insert AFTER INSERT ON activity_pauses BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = new.activity_id;
END;

CREATE TRIGGER streaks_of_activity_pauses_update AFTER UPDATE ON activity_pauses BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = new.activity_id;
END;

CREATE TABLE activity_reminders (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  -- after midnight, by the clocks of the account's zone
  minute INTEGER NOT NULL CHECK (minute BETWEEN 0 AND 1439),
  PRIMARY KEY (activity_id, minute)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER due_reminders_removed AFTER DELETE ON activity_reminders BEGIN
  DELETE FROM due_reminders WHERE activity_id = old.activity_id AND minute = old.minute AND is_again = 0;
END;

CREATE TRIGGER due_reminders_set AFTER INSERT ON activity_reminders BEGIN
  INSERT INTO due_reminders (activity_id, minute, is_again, account_id, due_at)
    SELECT activity_id, new.minute, 0, account_id, 0 FROM activities WHERE activity_id = new.activity_id;
END;

CREATE TABLE activity_skips (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  day INTEGER NOT NULL,
  PRIMARY KEY (activity_id, day)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER streaks_of_activity_skips_delete AFTER DELETE ON activity_skips BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = old.activity_id;
END;

CREATE TRIGGER streaks_of_activity_skips_insert AFTER INSERT ON activity_skips BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = new.activity_id;
END;

CREATE TABLE activity_tags (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  tag TEXT NOT NULL CHECK (tag <> ''),
  PRIMARY KEY (activity_id, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity_ties (
  activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  kind TEXT NOT NULL CHECK (kind IN ('steps', 'walking', 'running', 'cycling'))
) STRICT, WITHOUT ROWID;

CREATE INDEX activity_ties_by_account ON activity_ties (account_id);

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

CREATE TRIGGER due_reminders_planned AFTER INSERT ON activity_versions BEGIN
  UPDATE due_reminders SET due_at = 0, after_at = NULL WHERE activity_id = new.activity_id AND due_at IS NULL;
END;

CREATE TRIGGER streaks_of_activity_versions_delete AFTER DELETE ON activity_versions BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = old.activity_id;
END;

CREATE TRIGGER streaks_of_activity_versions_insert AFTER INSERT ON activity_versions BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = new.activity_id;
END;

CREATE TRIGGER streaks_of_activity_versions_update AFTER UPDATE ON activity_versions BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = new.activity_id;
END;

CREATE TABLE calendar_feeds (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  -- SHA-256 of the link's key, which is random and nowhere kept
  key_hash BLOB NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  created_at INTEGER NOT NULL
, session_id BLOB CHECK (length(session_id) = 16)) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_activities (
  friend_challenge_id BLOB NOT NULL PRIMARY KEY CHECK (length(friend_challenge_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  activity_id BLOB NOT NULL CHECK (length(activity_id) = 16)
) STRICT, WITHOUT ROWID;

CREATE INDEX challenge_activities_by_account ON challenge_activities (account_id);

CREATE TABLE dashboard_coins (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- the local day; the earliest that a number can hold stands for all days together
  day INTEGER NOT NULL,
  coins INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE dashboard_transfers (
  transfer_id BLOB NOT NULL PRIMARY KEY CHECK (length(transfer_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16)
) STRICT, WITHOUT ROWID;

CREATE INDEX dashboard_transfers_by_account ON dashboard_transfers (account_id);

CREATE TABLE deleted_activities (
  activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
  -- Whose it was; in activities it is nobody's.
  account_id BLOB NOT NULL CHECK (length(account_id) = 16)
) STRICT, WITHOUT ROWID;

CREATE INDEX deleted_activities_by_account ON deleted_activities (account_id, activity_id);

CREATE TABLE due_reminders (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  minute INTEGER NOT NULL CHECK (minute BETWEEN 0 AND 1439),
  -- whether its owner asked to be reminded again, which is done once
  is_again INTEGER NOT NULL CHECK (is_again IN (0, 1)),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- 0 where that is to be counted; null while the activity is put away or over
  due_at INTEGER,
  -- the account's day to which it belongs
  day INTEGER,
  -- it comes later than that: when it came last, or was set where null
  after_at INTEGER,
  -- the last day of which it came
  after_day INTEGER,
  PRIMARY KEY (activity_id, minute, is_again),
  CHECK (is_again = 0 OR (due_at IS NOT NULL AND day IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX due_reminders_by_account ON due_reminders (account_id);

CREATE INDEX due_reminders_by_due ON due_reminders (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE ended_sessions (
  session_id BLOB NOT NULL PRIMARY KEY CHECK (length(session_id) = 16),
  ended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ended_sessions_by_time ON ended_sessions (ended_at);

CREATE TABLE "entries" (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  day INTEGER NOT NULL,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- in the unit of the activity's goal_target
  progress INTEGER NOT NULL CHECK (progress >= 0),
  is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
  -- when any of it was last written, by this service's clock
  recorded_at INTEGER NOT NULL,
  comment TEXT CHECK (comment <> ''),
  -- names exactly the bytes of the photo
  photo_tag TEXT CHECK (length(photo_tag) = 32),
  -- The write of the progress that counts: when, and for one made offline by which change of which device. Null where the
  -- progress was never written.
  progress_at INTEGER,
  progress_change TEXT CHECK (progress_change <> ''),
  progress_device TEXT CHECK (progress_device <> ''),
  -- What the progress was before its last write, until it goes into the entry's history; null where it did, or was nothing.
  previous_progress INTEGER CHECK (previous_progress >= 0),
  previous_at INTEGER, closes_at INTEGER,
  PRIMARY KEY (activity_id, day),
  CHECK ((progress_change IS NULL) = (progress_device IS NULL)),
  CHECK ((previous_progress IS NULL) = (previous_at IS NULL)),
  CHECK (progress_at IS NOT NULL OR (progress = 0 AND progress_change IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX entries_by_account ON entries (account_id, day, activity_id);

CREATE INDEX entries_by_closing ON entries (closes_at) WHERE closes_at IS NOT NULL;

CREATE TRIGGER active_days_added AFTER INSERT ON entries WHEN new.is_done = 1 BEGIN
  INSERT INTO active_days (account_id, day, done) VALUES (new.account_id, new.day, 1)
    ON CONFLICT (account_id, day) DO UPDATE SET done = done + 1;
END;

CREATE TRIGGER active_days_changed AFTER UPDATE OF is_done ON entries WHEN new.is_done <> old.is_done BEGIN
  INSERT INTO active_days (account_id, day, done) VALUES (new.account_id, new.day, new.is_done)
    ON CONFLICT (account_id, day) DO UPDATE SET done = done + iif(new.is_done = 1, 1, -1);
END;

CREATE TRIGGER active_days_removed AFTER DELETE ON entries WHEN old.is_done = 1 BEGIN
  UPDATE active_days SET done = done - 1 WHERE account_id = old.account_id AND day = old.day;
  DELETE FROM active_days WHERE account_id = old.account_id AND day = old.day AND done = 0;
END;

CREATE TRIGGER streaks_of_entries_delete AFTER DELETE ON entries BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = old.activity_id;
END;

CREATE TRIGGER streaks_of_entries_insert AFTER INSERT ON entries BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = new.activity_id;
END;

CREATE TRIGGER streaks_of_entries_update AFTER UPDATE OF progress ON entries BEGIN
  UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = new.activity_id;
END;

CREATE VIRTUAL TABLE entry_areas USING rtree(
  place_id, south, north, west, east, first_day, last_day, first_owner, last_owner);

CREATE TABLE entry_change_counts (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  -- since 1970-01-01, by UTC
  day INTEGER NOT NULL,
  changes INTEGER NOT NULL CHECK (changes >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry_change_names (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  day INTEGER NOT NULL,
  device_id TEXT NOT NULL CHECK (device_id <> ''),
  change_id TEXT NOT NULL CHECK (change_id <> ''),
  -- the fields of which later writes were there when it came, with blanks between them
  superseded TEXT NOT NULL,
  taken_at INTEGER NOT NULL, content_hash BLOB CHECK (length(content_hash) = 32),
  PRIMARY KEY (activity_id, day, device_id, change_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX entry_change_names_by_age ON entry_change_names (taken_at);

CREATE TABLE entry_changes (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  day INTEGER NOT NULL,
  -- grows with each write of the entry
  step INTEGER NOT NULL,
  -- the first step of those that were lost together
  first_step INTEGER NOT NULL,
  field TEXT NOT NULL CHECK (field IN ('progress', 'comment', 'location', 'photo', 'entry')),
  progress INTEGER,
  comment TEXT,
  latitude REAL,
  longitude REAL,
  accuracy_meters REAL,
  photo_tag TEXT,
  written_at INTEGER NOT NULL,
  change_id TEXT,
  device_id TEXT,
  cause TEXT NOT NULL CHECK (cause IN ('overwritten', 'deleted', 'late', 'undone')),
  lost_at INTEGER NOT NULL,
  PRIMARY KEY (activity_id, day, step),
  CHECK ((field = 'progress') = (progress IS NOT NULL)),
  CHECK ((latitude IS NULL) = (longitude IS NULL)),
  CHECK ((change_id IS NULL) = (device_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE entry_comment_blocks (
  -- Its comments are those from here to the next block of the account; its first begins with the account's lowest key.
  first_comment INTEGER NOT NULL PRIMARY KEY,
  comments INTEGER NOT NULL CHECK (comments >= 0),
  -- Which trigrams they have; NULL where that is not known or not worth its bytes.
  filter BLOB CHECK (length(filter) = 3840)
) STRICT;

CREATE INDEX entry_comment_blocks_untidy ON entry_comment_blocks (first_comment)
  WHERE comments > 512 OR (filter IS NULL AND comments >= 128);

CREATE TABLE entry_comments (
  -- Account number, day, and which comment of that day it is, in the bits that `CommentKey` says: newest last.
  comment_id INTEGER NOT NULL PRIMARY KEY,
  activity_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  -- as it is compared with what is looked for
  folded TEXT NOT NULL,
  UNIQUE (activity_id, day),
  FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE
) STRICT;

CREATE TRIGGER entry_comment_blocks_added AFTER INSERT ON entry_comments BEGIN
  INSERT INTO entry_comment_blocks (first_comment, comments)
    SELECT new.comment_id >> 39 << 39, 0 WHERE NOT EXISTS (
      SELECT 1 FROM entry_comment_blocks WHERE first_comment BETWEEN new.comment_id >> 39 << 39 AND new.comment_id);
  UPDATE entry_comment_blocks SET comments = comments + 1, filter = NULL WHERE first_comment = (
    SELECT max(first_comment) FROM entry_comment_blocks WHERE first_comment <= new.comment_id);
END;

CREATE TRIGGER entry_comment_blocks_changed AFTER UPDATE OF folded ON entry_comments BEGIN
  UPDATE entry_comment_blocks SET filter = NULL WHERE first_comment = (
    SELECT max(first_comment) FROM entry_comment_blocks WHERE first_comment <= new.comment_id);
END;

CREATE TRIGGER entry_comment_blocks_removed AFTER DELETE ON entry_comments BEGIN
  UPDATE entry_comment_blocks SET comments = comments - 1, filter = NULL WHERE first_comment = (
    SELECT max(first_comment) FROM entry_comment_blocks WHERE first_comment <= old.comment_id);
  DELETE FROM entry_comment_blocks WHERE comments = 0 AND first_comment = (
    SELECT max(first_comment) FROM entry_comment_blocks WHERE first_comment <= old.comment_id);
END;

CREATE TABLE entry_deletions (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  day INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  change_id TEXT,
  device_id TEXT,
  PRIMARY KEY (activity_id, day),
  CHECK ((change_id IS NULL) = (device_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE entry_photos (
  photo_id INTEGER NOT NULL PRIMARY KEY,
  activity_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288),
  UNIQUE (activity_id, day),
  FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE
) STRICT;

CREATE TABLE entry_places (
  place_id INTEGER NOT NULL PRIMARY KEY,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  activity_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
  longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
  -- null where the device did not say
  accuracy_meters REAL CHECK (accuracy_meters >= 0),
  UNIQUE (activity_id, day),
  FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE
) STRICT;

CREATE INDEX entry_places_by_account ON entry_places (account_id, day, activity_id);

CREATE TRIGGER entry_areas_added AFTER INSERT ON entry_places BEGIN
  INSERT INTO history_accounts (account_id) SELECT new.account_id
    WHERE NOT EXISTS (SELECT 1 FROM history_accounts WHERE account_id = new.account_id);
  INSERT INTO entry_areas
    SELECT new.place_id, new.latitude, new.latitude, new.longitude, new.longitude, new.day, new.day, account_number,
      account_number
    FROM history_accounts WHERE account_id = new.account_id;
END;

CREATE TRIGGER entry_areas_changed AFTER UPDATE OF latitude, longitude ON entry_places BEGIN
  UPDATE entry_areas SET south = new.latitude, north = new.latitude, west = new.longitude, east = new.longitude
    WHERE place_id = new.place_id;
END;

CREATE TRIGGER entry_areas_removed AFTER DELETE ON entry_places BEGIN
  DELETE FROM entry_areas WHERE place_id = old.place_id;
END;

CREATE TABLE entry_stamps (
  activity_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  field TEXT NOT NULL CHECK (field IN ('comment', 'location', 'photo')),
  written_at INTEGER NOT NULL,
  -- null for what was written online
  change_id TEXT,
  device_id TEXT,
  PRIMARY KEY (activity_id, day, field),
  FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE,
  CHECK ((change_id IS NULL) = (device_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE follows (
  follower_account BLOB NOT NULL CHECK (length(follower_account) = 16),
  followed_account BLOB NOT NULL CHECK (length(followed_account) = 16),
  -- One that ended stays, so that an event that arrives late opens nothing.
  is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
  revision INTEGER NOT NULL,
  PRIMARY KEY (follower_account, followed_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX follows_by_followed ON follows (followed_account);

CREATE TABLE history_accounts (
  account_number INTEGER NOT NULL PRIMARY KEY CHECK (account_number < 16777216),
  account_id BLOB NOT NULL UNIQUE CHECK (length(account_id) = 16)
) STRICT;

CREATE TABLE import_days (
  import_id BLOB NOT NULL REFERENCES imports ON DELETE CASCADE,
  day INTEGER NOT NULL,
  PRIMARY KEY (import_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_exercises (
  import_id BLOB NOT NULL REFERENCES imports ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- Of its content, so that the same exercise of another import is known.
  name_of_content TEXT NOT NULL,
  line INTEGER NOT NULL,
  kind TEXT NOT NULL,
  title TEXT,
  start_at INTEGER,
  seconds INTEGER,
  meters REAL,
  PRIMARY KEY (import_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX import_exercises_by_content ON import_exercises (account_id, name_of_content);

CREATE TABLE import_problems (
  import_id BLOB NOT NULL REFERENCES imports ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  part TEXT,
  line INTEGER NOT NULL,
  code TEXT NOT NULL,
  PRIMARY KEY (import_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE imported_habits (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  habit TEXT NOT NULL,
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  PRIMARY KEY (account_id, habit)
) STRICT, WITHOUT ROWID;

CREATE INDEX imported_habits_by_activity ON imported_habits (activity_id);

CREATE TABLE imports (
  import_id BLOB NOT NULL PRIMARY KEY CHECK (length(import_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  name TEXT NOT NULL CHECK (name <> ''),
  -- What was said of the file, and what it was found to be.
  said_format TEXT,
  sha256 TEXT,
  person TEXT,
  format TEXT,
  state TEXT NOT NULL CHECK (state IN ('uploading', 'waiting', 'reading', 'done', 'failed', 'cancelled')),
  reason TEXT,
  total_bytes INTEGER NOT NULL CHECK (total_bytes > 0),
  received_bytes INTEGER NOT NULL CHECK (received_bytes BETWEEN 0 AND total_bytes),
  progress INTEGER NOT NULL CHECK (progress BETWEEN 0 AND 100),
  -- How many records of the file have been dealt with: reading begins behind them.
  position INTEGER NOT NULL CHECK (position >= 0),
  taken INTEGER NOT NULL,
  repeated INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  days INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- When a chunk arrived last, and when progress was published last.
  touched_at INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  ended_at INTEGER, starts INTEGER NOT NULL DEFAULT 0 CHECK (starts >= 0), persons TEXT, detail_bytes INTEGER NOT NULL DEFAULT 0 CHECK (detail_bytes >= 0), details_forgotten INTEGER NOT NULL DEFAULT 0 CHECK (details_forgotten IN (0, 1)), movement TEXT,
  CHECK ((state IN ('done', 'failed', 'cancelled')) = (ended_at IS NOT NULL)),
  CHECK ((state = 'failed') = (reason IS NOT NULL)),
  CHECK (state NOT IN ('waiting', 'reading', 'done') OR (format IS NOT NULL AND received_bytes = total_bytes))
) STRICT, WITHOUT ROWID;

CREATE INDEX imports_by_account ON imports (account_id, import_id);

CREATE INDEX imports_forgotten ON imports (account_id) WHERE details_forgotten = 1 AND detail_bytes > 0;

CREATE INDEX imports_unfinished ON imports (state, touched_at) WHERE ended_at IS NULL;

CREATE TABLE inactivity_notices (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  days INTEGER NOT NULL CHECK (days >= 1),
  -- The last day with movement, or that from which on is counted.
  since_day INTEGER NOT NULL,
  -- NULL once the account was notified, and while it may not be: until it moves.
  due_at INTEGER,
  -- The notice, as long as it is true, and the day on which it was sent.
  notice_id BLOB CHECK (length(notice_id) = 16),
  notified_day INTEGER,
  CHECK ((notice_id IS NULL) = (notified_day IS NULL)),
  CHECK (notice_id IS NULL OR due_at IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX inactivity_notices_due ON inactivity_notices (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE lost_days (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  day INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE "movement_accounts" (
  account_number INTEGER NOT NULL PRIMARY KEY,
  account_id BLOB NOT NULL UNIQUE CHECK (length(account_id) = 16)
) STRICT;

CREATE TABLE movement_day_sources (
  account_number INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  day INTEGER NOT NULL,
  source_number INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL CHECK (until_at > from_at),
  PRIMARY KEY (account_number, kind, day, source_number),
  FOREIGN KEY (account_number, source_number) REFERENCES movement_sources
) STRICT, WITHOUT ROWID;

CREATE TABLE "movement_days" (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  day INTEGER NOT NULL,
  recorded_day INTEGER NOT NULL,
  steps INTEGER NOT NULL CHECK (steps >= 0),
  revision INTEGER NOT NULL CHECK (revision >= 1), walking INTEGER NOT NULL DEFAULT 0 CHECK (walking >= 0), running INTEGER NOT NULL DEFAULT 0 CHECK (running >= 0), cycling INTEGER NOT NULL DEFAULT 0 CHECK (cycling >= 0), plausible_steps INTEGER NOT NULL DEFAULT 0 CHECK (plausible_steps BETWEEN 0 AND steps), flags INTEGER NOT NULL DEFAULT 0, plausible_walking INTEGER NOT NULL DEFAULT 0
  CHECK (plausible_walking BETWEEN 0 AND walking), plausible_running INTEGER NOT NULL DEFAULT 0
  CHECK (plausible_running BETWEEN 0 AND running), plausible_cycling INTEGER NOT NULL DEFAULT 0
  CHECK (plausible_cycling BETWEEN 0 AND cycling),
  PRIMARY KEY (account_id, day, recorded_day)
) STRICT, WITHOUT ROWID;

CREATE TABLE movement_minutes (
  account_number INTEGER NOT NULL REFERENCES movement_accounts,
  kind INTEGER NOT NULL,
  day INTEGER NOT NULL,
  -- The first minute, counted from 1970.
  first_minute INTEGER NOT NULL,
  -- Steps or millimetres, four bytes a minute, the lowest first.
  sums BLOB NOT NULL CHECK (length(sums) % 4 = 0),
  PRIMARY KEY (account_number, kind, day)
) STRICT;

CREATE TABLE movement_months (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  month INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  walking INTEGER NOT NULL,
  running INTEGER NOT NULL,
  cycling INTEGER NOT NULL,
  first_day INTEGER NOT NULL,
  best_day INTEGER NOT NULL,
  best_steps INTEGER NOT NULL,
  PRIMARY KEY (account_id, month)
) STRICT, WITHOUT ROWID;

CREATE TABLE movement_reorders (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  before_day INTEGER NOT NULL DEFAULT 2147483647
) STRICT, WITHOUT ROWID;

CREATE TABLE movement_sample_pieces (
  account_number INTEGER NOT NULL,
  sample_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  until_at INTEGER NOT NULL CHECK (until_at > from_at),
  elapsed INTEGER NOT NULL CHECK (elapsed >= 0),
  PRIMARY KEY (account_number, sample_id, day, from_at),
  FOREIGN KEY (account_number, sample_id) REFERENCES movement_samples (account_number, sample_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE movement_samples (
  -- account, kind, first local day and a number within these: SampleKey
  position INTEGER NOT NULL PRIMARY KEY,
  account_number INTEGER NOT NULL,
  sample_id TEXT NOT NULL,
  start_at INTEGER NOT NULL,
  end_at INTEGER NOT NULL,
  -- steps, or millimetres
  amount INTEGER NOT NULL,
  source_number INTEGER NOT NULL,
  version INTEGER NOT NULL,
  -- Marks.rawValue
  flags INTEGER NOT NULL,
  -- 1: it lies in several days, see movement_sample_pieces; 2: it was deleted, and its times and amount are forgotten
  form INTEGER NOT NULL,
  CHECK (end_at >= start_at AND amount >= 0 AND form BETWEEN 0 AND 2),
  FOREIGN KEY (account_number, source_number) REFERENCES movement_sources
) STRICT;

CREATE UNIQUE INDEX movement_samples_by_id ON movement_samples (account_number, sample_id);

CREATE TABLE movement_series (
  account_number INTEGER NOT NULL REFERENCES movement_accounts,
  day INTEGER NOT NULL,
  digest INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  is_copy INTEGER NOT NULL CHECK (is_copy IN (0, 1)),
  PRIMARY KEY (account_number, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX movement_series_by_digest ON movement_series (digest);

CREATE TABLE movement_sketch_hashes (
  account_number INTEGER NOT NULL,
  day INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  PRIMARY KEY (account_number, day, hash),
  FOREIGN KEY (account_number, day) REFERENCES movement_sketches ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX movement_sketch_hashes_by_hash ON movement_sketch_hashes (hash);

CREATE TABLE movement_sketches (
  account_number INTEGER NOT NULL REFERENCES movement_accounts,
  day INTEGER NOT NULL,
  -- Twelve bytes a sample: the hash, and the steps.
  sketch BLOB NOT NULL CHECK (length(sketch) % 12 = 0),
  PRIMARY KEY (account_number, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE movement_sources (
  account_number INTEGER NOT NULL REFERENCES movement_accounts,
  -- counts within the account
  source_number INTEGER NOT NULL,
  -- '' where the sample names none
  source TEXT NOT NULL,
  device TEXT NOT NULL,
  is_hand_typed INTEGER NOT NULL CHECK (is_hand_typed IN (0, 1)),
  -- its place where the account chose one
  position INTEGER,
  PRIMARY KEY (account_number, source_number),
  UNIQUE (account_number, source, device, is_hand_typed)
) STRICT, WITHOUT ROWID;

CREATE TABLE movement_stale_days (
  account_number INTEGER NOT NULL REFERENCES movement_accounts,
  kind INTEGER NOT NULL,
  day INTEGER NOT NULL,
  PRIMARY KEY (account_number, kind, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX movement_stale_days_by_day ON movement_stale_days (account_number, day);

CREATE TABLE reminded_activities (
  activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
  -- the last day of which its owner was reminded, until that is no longer needed
  day INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE step_goal_stages (
  account_id BLOB NOT NULL,
  period TEXT NOT NULL,
  first_day INTEGER NOT NULL,
  stage INTEGER NOT NULL CHECK (stage IN (1, 2)),
  PRIMARY KEY (account_id, period, first_day),
  FOREIGN KEY (account_id, period) REFERENCES step_goals ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE step_goals (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  period TEXT NOT NULL CHECK (period IN ('day', 'week')),
  -- NULL where it was cleared: the revision goes on
  goal INTEGER CHECK (goal >= 1),
  revision INTEGER NOT NULL,
  -- the local day on which it was first set since it was cleared
  since_day INTEGER NOT NULL,
  PRIMARY KEY (account_id, period)
) STRICT, WITHOUT ROWID;

CREATE TABLE streaks (
  activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- how many days or weeks in a row up to now; null until they were counted
  run INTEGER CHECK (run >= 0),
  longest INTEGER CHECK (longest >= run),
  unit TEXT CHECK (unit IN ('days', 'weeks')),
  -- the account's day on which it came to be so
  day INTEGER,
  -- of the last that was published; 0 before the first
  revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
  -- grows with whatever may change the streak
  changes INTEGER NOT NULL DEFAULT 0,
  -- when it is to be counted anew
  due_at INTEGER NOT NULL DEFAULT 0,
  CHECK ((run IS NULL) = (longest IS NULL) AND (run IS NULL) = (unit IS NULL) AND (run IS NULL) = (day IS NULL)),
  CHECK ((run IS NULL) = (revision = 0))
) STRICT, WITHOUT ROWID;

CREATE INDEX streaks_by_account ON streaks (account_id);

CREATE INDEX streaks_by_due ON streaks (due_at);

CREATE TABLE tie_days (
  activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
  day INTEGER NOT NULL,
  -- Steps or millimetres, of the tie's kind.
  movement INTEGER NOT NULL CHECK (movement >= 0),
  PRIMARY KEY (activity_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE timers (
  activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- the one on which it was first started
  day INTEGER NOT NULL,
  -- milliseconds of the runs that have ended
  elapsed INTEGER NOT NULL CHECK (elapsed >= 0),
  -- null while it stands
  running_since INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX timers_by_account ON timers (account_id, activity_id);
