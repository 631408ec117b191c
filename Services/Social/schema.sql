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

CREATE TRIGGER name_changes_begun AFTER UPDATE OF username ON accounts WHEN new.username <> old.username BEGIN
  INSERT INTO name_changes (account_id, last_person) VALUES (new.account_id, zeroblob(16))
    ON CONFLICT (account_id) DO UPDATE SET last_person = excluded.last_person;
END;

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

CREATE INDEX appeals_by_administrator ON appeals (decided_by) WHERE decided_by IS NOT NULL;

CREATE INDEX appeals_waiting ON appeals (sequence) WHERE decided_at IS NULL;

CREATE TABLE blocks (
  blocker_account BLOB NOT NULL CHECK (length(blocker_account) = 16),
  blocked_account BLOB NOT NULL CHECK (length(blocked_account) = 16),
  since INTEGER NOT NULL, known_username TEXT, known_nickname TEXT,
  PRIMARY KEY (blocker_account, blocked_account),
  CHECK (blocker_account <> blocked_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_by_blocked ON blocks (blocked_account);

CREATE INDEX blocks_newest ON blocks (blocker_account, since, blocked_account);

CREATE TABLE conversation_sides (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  other_account BLOB NOT NULL CHECK (length(other_account) = 16),
  conversation_id BLOB NOT NULL REFERENCES conversations (conversation_id),
  last_sequence INTEGER NOT NULL,
  read_sequence INTEGER NOT NULL DEFAULT 0,
  unread_count INTEGER NOT NULL DEFAULT 0 CHECK (unread_count >= 0), receipt_sequence INTEGER NOT NULL DEFAULT 0, sent_bytes INTEGER NOT NULL DEFAULT 0 CHECK (sent_bytes >= 0),
  PRIMARY KEY (account_id, other_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversation_sides_by_conversation ON conversation_sides (conversation_id);

CREATE INDEX conversation_sides_by_other ON conversation_sides (other_account);

CREATE INDEX conversation_sides_newest ON conversation_sides (account_id, last_sequence);

CREATE TRIGGER conversation_sides_space_added AFTER INSERT ON conversation_sides BEGIN
  INSERT INTO message_space (account_id, bytes) VALUES (new.account_id, new.sent_bytes)
    ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER conversation_sides_space_changed AFTER UPDATE OF sent_bytes ON conversation_sides BEGIN
  UPDATE message_space SET bytes = bytes + new.sent_bytes - old.sent_bytes WHERE account_id = new.account_id;
END;

CREATE TRIGGER conversation_sides_space_removed AFTER DELETE ON conversation_sides BEGIN
  UPDATE message_space SET bytes = bytes - old.sent_bytes WHERE account_id = old.account_id;
END;

CREATE TABLE conversations (
  conversation_id BLOB NOT NULL PRIMARY KEY CHECK (length(conversation_id) = 16),
  low_account BLOB NOT NULL CHECK (length(low_account) = 16),
  high_account BLOB NOT NULL CHECK (length(high_account) = 16),
  UNIQUE (low_account, high_account),
  CHECK (low_account < high_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversations_by_high_account ON conversations (high_account);

CREATE TABLE "follow_requests" (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  follow_request_id BLOB NOT NULL UNIQUE CHECK (length(follow_request_id) = 16),
  from_account BLOB NOT NULL CHECK (length(from_account) = 16),
  to_account BLOB NOT NULL CHECK (length(to_account) = 16),
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'withdrawn', 'expired')),
  sent_at INTEGER NOT NULL,
  -- When it stopped waiting, in whichever way.
  answered_at INTEGER,
  -- Whether the one that it is for never sees it.
  is_hidden INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)), known_username TEXT, known_nickname TEXT,
  CHECK (from_account <> to_account),
  CHECK ((state = 'pending') = (answered_at IS NULL))
) STRICT;

CREATE UNIQUE INDEX follow_requests_pending ON follow_requests (from_account, to_account) WHERE state = 'pending';

CREATE INDEX follow_requests_received ON follow_requests (to_account, sequence);

CREATE INDEX follow_requests_received_by_state ON follow_requests (to_account, state, sequence);

CREATE INDEX follow_requests_sent ON follow_requests (from_account, sequence);

CREATE INDEX follow_requests_sent_by_state ON follow_requests (from_account, state, sequence);

CREATE INDEX follow_requests_waiting ON follow_requests (sent_at) WHERE state = 'pending';

CREATE TABLE follower_names (
  followed_account BLOB NOT NULL,
  username TEXT NOT NULL,
  follower_account BLOB NOT NULL,
  PRIMARY KEY (followed_account, username, follower_account),
  FOREIGN KEY (follower_account, followed_account) REFERENCES follows ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX follower_names_by_follower ON follower_names (follower_account, followed_account);

CREATE TABLE follows (
  follower_account BLOB NOT NULL CHECK (length(follower_account) = 16),
  followed_account BLOB NOT NULL CHECK (length(followed_account) = 16),
  state TEXT NOT NULL CHECK (state IN ('accepted', 'ended')),
  changed_at INTEGER NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  PRIMARY KEY (follower_account, followed_account),
  CHECK (follower_account <> followed_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX follows_by_followed ON follows (followed_account);

CREATE TRIGGER follower_names_added AFTER INSERT ON follows WHEN new.state = 'accepted' BEGIN
  INSERT INTO follower_names
    SELECT new.followed_account, username, new.follower_account
    FROM accounts WHERE account_id = new.follower_account;
END;

CREATE TRIGGER follower_names_begun AFTER UPDATE OF state ON follows
WHEN new.state = 'accepted' AND old.state <> 'accepted' BEGIN
  INSERT INTO follower_names
    SELECT new.followed_account, username, new.follower_account
    FROM accounts WHERE account_id = new.follower_account;
END;

CREATE TRIGGER follower_names_ended AFTER UPDATE OF state ON follows WHEN new.state <> 'accepted' BEGIN
  DELETE FROM follower_names
  WHERE follower_account = new.follower_account AND followed_account = new.followed_account;
END;

CREATE TABLE friend_challenge_ends (
  sequence INTEGER NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE friend_challenge_streaks (
  friend_challenge_id BLOB NOT NULL REFERENCES friend_challenges (friend_challenge_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  activity_id BLOB NOT NULL CHECK (length(activity_id) = 16),
  -- null until activity has published it
  run INTEGER CHECK (run >= 0),
  longest INTEGER CHECK (longest >= run),
  unit TEXT CHECK (unit IN ('days', 'weeks')),
  revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
  PRIMARY KEY (friend_challenge_id, account_id),
  CHECK ((run IS NULL) = (longest IS NULL) AND (run IS NULL) = (unit IS NULL) AND (run IS NULL) = (revision = 0))
) STRICT, WITHOUT ROWID;

CREATE INDEX friend_challenge_streaks_by_activity ON friend_challenge_streaks (activity_id);

CREATE TABLE friend_challenges (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  friend_challenge_id BLOB NOT NULL UNIQUE CHECK (length(friend_challenge_id) = 16),
  from_account BLOB NOT NULL CHECK (length(from_account) = 16),
  to_account BLOB NOT NULL CHECK (length(to_account) = 16),
  -- the challenger's, and from when it was accepted the other's
  from_activity BLOB NOT NULL CHECK (length(from_activity) = 16),
  to_activity BLOB CHECK (length(to_activity) = 16),
  -- as it was when the challenge was sent
  activity TEXT NOT NULL CHECK (json_valid(activity)),
  -- the first day of the other's
  start_day INTEGER,
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'withdrawn', 'ended')),
  sent_at INTEGER NOT NULL,
  answered_at INTEGER,
  ended_at INTEGER,
  changed_at INTEGER NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  CHECK (from_account <> to_account),
  CHECK ((to_activity IS NULL) = (start_day IS NULL)),
  CHECK (state <> 'accepted' OR to_activity IS NOT NULL),
  CHECK (state NOT IN ('pending', 'rejected', 'withdrawn') OR to_activity IS NULL),
  CHECK (CASE state WHEN 'pending' THEN answered_at IS NULL WHEN 'ended' THEN TRUE ELSE answered_at IS NOT NULL END),
  CHECK ((state = 'ended') = (ended_at IS NOT NULL))
) STRICT;

CREATE INDEX friend_challenges_by_copy ON friend_challenges (to_activity) WHERE to_activity IS NOT NULL;

CREATE UNIQUE INDEX friend_challenges_open ON friend_challenges (from_account, to_account, from_activity)
  WHERE state IN ('pending', 'accepted');

CREATE INDEX friend_challenges_received ON friend_challenges (to_account, sequence);

CREATE INDEX friend_challenges_received_by_state ON friend_challenges (to_account, state, sequence);

CREATE INDEX friend_challenges_sent ON friend_challenges (from_account, sequence);

CREATE INDEX friend_challenges_sent_by_state ON friend_challenges (from_account, state, sequence);

CREATE TABLE friend_names (
  account_id BLOB NOT NULL CHECK (account_id IN (low_account, high_account)),
  username TEXT NOT NULL,
  low_account BLOB NOT NULL,
  high_account BLOB NOT NULL,
  PRIMARY KEY (account_id, username, low_account, high_account),
  FOREIGN KEY (low_account, high_account) REFERENCES friendships ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX friend_names_by_friendship ON friend_names (low_account, high_account);

CREATE TABLE "friend_requests" (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  friend_request_id BLOB NOT NULL UNIQUE CHECK (length(friend_request_id) = 16),
  from_account BLOB NOT NULL CHECK (length(from_account) = 16),
  to_account BLOB NOT NULL CHECK (length(to_account) = 16),
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'withdrawn', 'expired')),
  sent_at INTEGER NOT NULL,
  -- When it stopped waiting, in whichever way.
  answered_at INTEGER,
  -- Whether the one that it is for never sees it.
  is_hidden INTEGER NOT NULL DEFAULT 0 CHECK (is_hidden IN (0, 1)), known_username TEXT, known_nickname TEXT,
  CHECK (from_account <> to_account),
  CHECK ((state = 'pending') = (answered_at IS NULL))
) STRICT;

CREATE UNIQUE INDEX friend_requests_between ON friend_requests (min(from_account, to_account), max(from_account, to_account))
WHERE state = 'pending' AND is_hidden = 0;

CREATE UNIQUE INDEX friend_requests_pending ON friend_requests (from_account, to_account) WHERE state = 'pending';

CREATE INDEX friend_requests_received ON friend_requests (to_account, sequence);

CREATE INDEX friend_requests_received_by_state ON friend_requests (to_account, state, sequence);

CREATE INDEX friend_requests_sent ON friend_requests (from_account, sequence);

CREATE INDEX friend_requests_sent_by_state ON friend_requests (from_account, state, sequence);

CREATE INDEX friend_requests_waiting ON friend_requests (sent_at) WHERE state = 'pending';

CREATE TABLE friendships (
  low_account BLOB NOT NULL CHECK (length(low_account) = 16),
  high_account BLOB NOT NULL CHECK (length(high_account) = 16),
  since INTEGER NOT NULL,
  PRIMARY KEY (low_account, high_account),
  CHECK (low_account < high_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX friendships_by_high_account ON friendships (high_account);

CREATE TRIGGER friend_names_added AFTER INSERT ON friendships BEGIN
  INSERT INTO friend_names
    SELECT new.low_account, username, new.low_account, new.high_account
    FROM accounts WHERE account_id = new.high_account;
  INSERT INTO friend_names
    SELECT new.high_account, username, new.low_account, new.high_account
    FROM accounts WHERE account_id = new.low_account;
END;

CREATE TABLE message_photos (
  message_id BLOB NOT NULL PRIMARY KEY REFERENCES messages (message_id) ON DELETE CASCADE,
  media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
  -- Names exactly the bytes.
  tag TEXT NOT NULL CHECK (length(tag) = 32),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288)
) STRICT;

CREATE TABLE message_space (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE message_texts (
  conversation_id BLOB NOT NULL,
  sequence INTEGER NOT NULL,
  -- as it is compared with what is looked for
  folded TEXT NOT NULL,
  PRIMARY KEY (conversation_id, sequence),
  FOREIGN KEY (conversation_id, sequence) REFERENCES messages (conversation_id, sequence) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id BLOB NOT NULL UNIQUE CHECK (length(message_id) = 16),
  conversation_id BLOB NOT NULL REFERENCES conversations (conversation_id),
  from_account BLOB NOT NULL CHECK (length(from_account) = 16),
  text TEXT CHECK (text <> ''),
  sent_at INTEGER NOT NULL
, photo_width INTEGER CHECK (photo_width > 0), photo_height INTEGER CHECK (photo_height > 0)
  CHECK ((photo_height IS NULL) = (photo_width IS NULL)), edited_at INTEGER, removed_at INTEGER
  CHECK ((removed_at IS NULL) = (text IS NOT NULL OR photo_width IS NOT NULL))) STRICT;

CREATE INDEX messages_by_writer ON messages (from_account);

CREATE UNIQUE INDEX messages_of_conversation ON messages (conversation_id, sequence);

CREATE TABLE moderation_cases (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  case_id BLOB NOT NULL UNIQUE CHECK (length(case_id) = 16),
  subject_kind TEXT NOT NULL,
  -- The account or the message.
  subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
  accused_account BLOB NOT NULL CHECK (length(accused_account) = 16),
  report_count INTEGER NOT NULL DEFAULT 0 CHECK (report_count >= 0),
  -- Those that were given, each once, a comma behind each.
  reasons TEXT NOT NULL DEFAULT '',
  reported_at INTEGER NOT NULL,
  outcome TEXT CHECK (outcome IN ('nothing', 'removed', 'warned', 'suspended', 'banned')),
  removes_content INTEGER NOT NULL DEFAULT 0 CHECK (removes_content IN (0, 1)),
  -- Why, for the account, and for administrators.
  reason TEXT,
  note TEXT,
  until INTEGER,
  decided_at INTEGER,
  decided_by BLOB CHECK (length(decided_by) = 16),
  -- When all who reported were sent what was decided.
  published_at INTEGER,
  -- When the copies of what was reported were deleted.
  copies_deleted_at INTEGER, subject_day INTEGER, removed TEXT CHECK (removed IS NULL OR json_valid(removed)),
  CHECK ((outcome IS NULL) = (decided_at IS NULL)),
  CHECK ((until IS NOT NULL) = coalesce(outcome IN ('suspended', 'banned'), 0)),
  CHECK (coalesce(outcome, 'nothing') = 'nothing' OR reason IS NOT NULL)
) STRICT;

CREATE INDEX moderation_cases_by_accused ON moderation_cases (accused_account, sequence);

CREATE INDEX moderation_cases_by_administrator ON moderation_cases (decided_by) WHERE decided_by IS NOT NULL;

CREATE INDEX moderation_cases_not_published ON moderation_cases (sequence)
  WHERE decided_at IS NOT NULL AND published_at IS NULL;

CREATE UNIQUE INDEX moderation_cases_open
  ON moderation_cases (subject_kind, subject_id, ifnull(subject_day, -1), accused_account) WHERE decided_at IS NULL;

CREATE INDEX moderation_cases_removed ON moderation_cases (subject_kind, subject_id) WHERE removed IS NOT NULL;

CREATE INDEX moderation_cases_waiting ON moderation_cases (sequence) WHERE decided_at IS NULL;

CREATE INDEX moderation_cases_waiting_by_kind ON moderation_cases (subject_kind, sequence) WHERE decided_at IS NULL;

CREATE INDEX moderation_cases_with_copies ON moderation_cases (decided_at)
  WHERE decided_at IS NOT NULL AND copies_deleted_at IS NULL;

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

CREATE TABLE name_changes (
  account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  last_person BLOB NOT NULL CHECK (length(last_person) = 16)
) STRICT, WITHOUT ROWID;

CREATE TABLE register_account_leaves (
  record_number INTEGER NOT NULL PRIMARY KEY CHECK (record_number >= 1),
  number INTEGER NOT NULL UNIQUE REFERENCES register_leaves (number)
) STRICT;

CREATE TABLE register_checkpoints (
  size INTEGER NOT NULL PRIMARY KEY CHECK (size >= 0),
  note TEXT NOT NULL,
  signed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE register_leaves (
  -- 0, 1, 2, … without gaps
  number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 0),
  -- canonical JSON: kind, time and commitment
  entry TEXT NOT NULL CHECK (length(entry) <= 65535)
) STRICT;

CREATE TRIGGER register_leaves_are_not_changed BEFORE UPDATE ON register_leaves
BEGIN SELECT RAISE(ABORT, 'a leaf is never changed'); END;

CREATE TRIGGER register_leaves_are_not_deleted BEFORE DELETE ON register_leaves
BEGIN SELECT RAISE(ABORT, 'a leaf is never deleted'); END;

CREATE TRIGGER register_leaves_have_no_gaps BEFORE INSERT ON register_leaves
WHEN NEW.number IS NOT (SELECT ifnull(max(number) + 1, 0) FROM register_leaves)
BEGIN SELECT RAISE(ABORT, 'a leaf comes behind the last one'); END;

CREATE TABLE register_notices (
  notice_id BLOB NOT NULL PRIMARY KEY CHECK (length(notice_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  task_id BLOB NOT NULL CHECK (length(task_id) = 16),
  task_name TEXT NOT NULL,
  leaf INTEGER NOT NULL,
  completed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX register_notices_by_account ON register_notices (account_id);

CREATE INDEX register_notices_by_leaf ON register_notices (leaf);

CREATE TABLE register_origins (
  position INTEGER NOT NULL PRIMARY KEY CHECK (position >= 1),
  origin TEXT NOT NULL UNIQUE,
  -- of the store's outbox: another one shows that the file was put back from a copy
  epoch TEXT NOT NULL,
  -- how many leaves there were when it got this name
  first_size INTEGER NOT NULL CHECK (first_size >= 0),
  begun_at INTEGER NOT NULL
) STRICT;

CREATE TABLE register_people (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  number INTEGER NOT NULL REFERENCES register_records (number),
  role TEXT NOT NULL,
  salt BLOB NOT NULL CHECK (length(salt) = 32),
  PRIMARY KEY (account_id, number, role)
) STRICT, WITHOUT ROWID;

CREATE INDEX register_people_by_number ON register_people (number);

CREATE TRIGGER register_records_end AFTER DELETE ON register_people
WHEN NOT EXISTS (SELECT 1 FROM register_people WHERE number = OLD.number)
BEGIN DELETE FROM register_records WHERE number = OLD.number; END;

CREATE TABLE register_records (
  number INTEGER NOT NULL PRIMARY KEY REFERENCES register_leaves (number),
  kind TEXT NOT NULL,
  record TEXT NOT NULL,
  salt BLOB NOT NULL CHECK (length(salt) = 32),
  registered_at INTEGER NOT NULL
) STRICT;

CREATE TABLE register_tiles (
  level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 7),
  number INTEGER NOT NULL CHECK (number >= 0),
  -- up to 256 of them, 32 bytes each
  hashes BLOB NOT NULL CHECK (length(hashes) BETWEEN 32 AND 8192 AND length(hashes) % 32 = 0),
  PRIMARY KEY (level, number)
) STRICT;

CREATE TRIGGER register_tiles_are_not_deleted BEFORE DELETE ON register_tiles
BEGIN SELECT RAISE(ABORT, 'a tile is never deleted'); END;

CREATE TRIGGER register_tiles_only_grow BEFORE UPDATE ON register_tiles
WHEN NEW.level <> OLD.level OR NEW.number <> OLD.number
  OR substr(NEW.hashes, 1, length(OLD.hashes)) <> OLD.hashes
BEGIN SELECT RAISE(ABORT, 'a tile only grows'); END;

CREATE TABLE relations (
  low_account BLOB NOT NULL CHECK (length(low_account) = 16),
  high_account BLOB NOT NULL CHECK (length(high_account) = 16),
  changed_at INTEGER NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  PRIMARY KEY (low_account, high_account),
  CHECK (low_account < high_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX relations_by_high_account ON relations (high_account);

CREATE TABLE removed_task_attachments (
  case_id BLOB NOT NULL PRIMARY KEY REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
  attachment_id BLOB NOT NULL CHECK (length(attachment_id) = 16),
  task_id BLOB NOT NULL CHECK (length(task_id) = 16),
  -- As in task_attachments.
  account_id BLOB CHECK (length(account_id) = 16),
  charged_account BLOB CHECK (length(charged_account) = 16),
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
  total_bytes INTEGER NOT NULL,
  attached_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE reported_files (
  case_id BLOB NOT NULL REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
  sha256 BLOB NOT NULL REFERENCES task_attachment_contents (sha256),
  PRIMARY KEY (case_id, sha256)
) STRICT, WITHOUT ROWID;

CREATE INDEX reported_files_by_content ON reported_files (sha256);

CREATE TRIGGER reported_files_deleted AFTER DELETE ON reported_files BEGIN
  UPDATE task_attachment_contents SET reference_count = reference_count - 1 WHERE sha256 = old.sha256;
END;

CREATE TRIGGER reported_files_kept AFTER INSERT ON reported_files BEGIN
  UPDATE task_attachment_contents SET reference_count = reference_count + 1 WHERE sha256 = new.sha256;
END;

CREATE TABLE reported_photos (
  case_id BLOB NOT NULL REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
  photo_tag TEXT NOT NULL,
  media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288),
  PRIMARY KEY (case_id, photo_tag)
) STRICT;

CREATE TABLE reports (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  report_id BLOB NOT NULL UNIQUE CHECK (length(report_id) = 16),
  case_id BLOB NOT NULL REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
  -- Null where that account is gone.
  reporter_account BLOB CHECK (length(reporter_account) = 16),
  reason TEXT NOT NULL,
  text TEXT,
  -- The copy as JSON; null where it is no longer kept.
  copy TEXT CHECK (copy IS NULL OR json_valid(copy)),
  photo_tag TEXT,
  -- What the copy weighs.
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  sent_at INTEGER NOT NULL,
  -- When it was published what became of it.
  published_at INTEGER
, file_sha256 BLOB CHECK (length(file_sha256) = 32), file_bytes INTEGER NOT NULL DEFAULT 0 CHECK (file_bytes >= 0)) STRICT;

CREATE INDEX reports_by_reporter ON reports (reporter_account, sequence) WHERE reporter_account IS NOT NULL;

CREATE INDEX reports_not_published ON reports (case_id) WHERE published_at IS NULL;

CREATE INDEX reports_of_case ON reports (case_id, sequence);

CREATE UNIQUE INDEX reports_once ON reports (case_id, reporter_account) WHERE reporter_account IS NOT NULL;

CREATE INDEX reports_with_copies ON reports (reporter_account, bytes) WHERE copy IS NOT NULL;

CREATE TABLE suspended_accounts (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  suspension_id BLOB NOT NULL CHECK (length(suspension_id) = 16),
  until INTEGER,
  reason TEXT NOT NULL,
  can_appeal INTEGER NOT NULL CHECK (can_appeal IN (0, 1)),
  revision INTEGER NOT NULL CHECK (revision >= 1),
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE suspensions (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  suspension_id BLOB NOT NULL UNIQUE CHECK (length(suspension_id) = 16),
  case_id BLOB NOT NULL UNIQUE REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  until INTEGER NOT NULL,
  reason TEXT NOT NULL,
  can_appeal INTEGER NOT NULL DEFAULT 1 CHECK (can_appeal IN (0, 1)),
  began_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE INDEX suspensions_by_account ON suspensions (account_id, until);

CREATE INDEX suspensions_due ON suspensions (until) WHERE ended_at IS NULL;

CREATE INDEX suspensions_running ON suspensions (sequence) WHERE ended_at IS NULL;

CREATE TABLE task_attachment_contents (
  sha256 BLOB NOT NULL PRIMARY KEY CHECK (length(sha256) = 32),
  total_bytes INTEGER NOT NULL CHECK (total_bytes > 0),
  reference_count INTEGER NOT NULL DEFAULT 0 CHECK (reference_count >= 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_attachment_contents_unreferenced ON task_attachment_contents (sha256) WHERE reference_count = 0;

CREATE TABLE task_attachment_ended_uploads (
  attachment_id BLOB NOT NULL PRIMARY KEY CHECK (length(attachment_id) = 16),
  -- Of the content that its file was being made, or had been made: task_attachment_contents need not have it.
  sha256 BLOB CHECK (length(sha256) = 32)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_attachment_uploads (
  attachment_id BLOB NOT NULL PRIMARY KEY CHECK (length(attachment_id) = 16),
  task_id BLOB NOT NULL CHECK (length(task_id) = 16),
  -- Null where it comes by the task's token.
  account_id BLOB CHECK (length(account_id) = 16),
  charged_account BLOB NOT NULL CHECK (length(charged_account) = 16),
  name TEXT NOT NULL CHECK (name <> ''),
  media_type TEXT NOT NULL CHECK (media_type <> ''),
  -- Null where that shows at its end.
  total_bytes INTEGER CHECK (total_bytes > 0),
  received_bytes INTEGER NOT NULL CHECK (received_bytes >= 0 AND (total_bytes IS NULL OR received_bytes <= total_bytes)),
  said_sha256 BLOB CHECK (length(said_sha256) = 32),
  -- Of what has arrived, from when it is being made an attachment on: so long that content's file is not removed.
  sha256 BLOB CHECK (length(sha256) = 32),
  touched_at INTEGER NOT NULL,
  CHECK (account_id IS NULL OR account_id IS charged_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_attachment_uploads_by_account ON task_attachment_uploads (charged_account);

CREATE INDEX task_attachment_uploads_by_age ON task_attachment_uploads (touched_at);

CREATE INDEX task_attachment_uploads_by_content ON task_attachment_uploads (sha256) WHERE sha256 IS NOT NULL;

CREATE INDEX task_attachment_uploads_by_task ON task_attachment_uploads (task_id, account_id);

CREATE INDEX task_attachment_uploads_by_token ON task_attachment_uploads (account_id, touched_at) WHERE account_id IS NULL;

CREATE TRIGGER task_attachment_uploads_ended AFTER DELETE ON task_attachment_uploads
WHEN NOT EXISTS (SELECT 1 FROM task_attachments WHERE attachment_id = old.attachment_id) BEGIN
  INSERT INTO task_attachment_ended_uploads (attachment_id, sha256) VALUES (old.attachment_id, old.sha256);
END;

CREATE TABLE task_attachments (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  attachment_id BLOB NOT NULL UNIQUE CHECK (length(attachment_id) = 16),
  task_id BLOB NOT NULL CHECK (length(task_id) = 16),
  -- Null where it came by the task's token.
  account_id BLOB CHECK (length(account_id) = 16),
  -- Who answers for the room that it takes: who attached it, or who made the token, until that account is deleted.
  charged_account BLOB CHECK (length(charged_account) = 16),
  name TEXT NOT NULL CHECK (name <> ''),
  media_type TEXT NOT NULL CHECK (media_type <> ''),
  sha256 BLOB NOT NULL REFERENCES task_attachment_contents (sha256),
  total_bytes INTEGER NOT NULL CHECK (total_bytes > 0),
  attached_at INTEGER NOT NULL,
  CHECK (account_id IS NULL OR account_id IS charged_account)
) STRICT;

CREATE INDEX task_attachments_by_account ON task_attachments (charged_account, account_id, total_bytes);

CREATE INDEX task_attachments_by_content ON task_attachments (sha256);

CREATE INDEX task_attachments_by_task ON task_attachments (task_id, sequence, total_bytes);

CREATE TRIGGER task_attachments_attached AFTER INSERT ON task_attachments BEGIN
  UPDATE task_attachment_contents SET reference_count = reference_count + 1 WHERE sha256 = new.sha256;
END;

CREATE TRIGGER task_attachments_deleted AFTER DELETE ON task_attachments BEGIN
  UPDATE task_attachment_contents SET reference_count = reference_count - 1 WHERE sha256 = old.sha256;
END;

CREATE TABLE task_comments (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  comment_id BLOB NOT NULL UNIQUE CHECK (length(comment_id) = 16),
  task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- NULL once it was removed: it says nothing any more, and keeps its position
  text TEXT CHECK (text <> ''),
  created_at INTEGER NOT NULL,
  removed_at INTEGER, help_id BLOB REFERENCES task_help (help_id) ON DELETE SET NULL,
  CHECK ((removed_at IS NULL) = (text IS NOT NULL))
) STRICT;

CREATE INDEX task_comments_by_author ON task_comments (account_id);

CREATE INDEX task_comments_by_help ON task_comments (help_id, account_id) WHERE help_id IS NOT NULL;

CREATE UNIQUE INDEX task_comments_of_task ON task_comments (task_id, sequence);

CREATE TRIGGER task_comments_space_added AFTER INSERT ON task_comments WHEN new.account_id IS NOT NULL BEGIN
  INSERT INTO task_space (account_id, bytes) VALUES (new.account_id, coalesce(length(CAST(new.text AS BLOB)), 0))
    ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER task_comments_space_changed AFTER UPDATE OF text ON task_comments
WHEN new.account_id IS NOT NULL BEGIN
  UPDATE task_space SET bytes = bytes + (coalesce(length(CAST(new.text AS BLOB)), 0)) - (coalesce(length(CAST(old.text AS BLOB)), 0)) WHERE account_id = new.account_id;
END;

CREATE TRIGGER task_comments_space_removed AFTER DELETE ON task_comments WHEN old.account_id IS NOT NULL BEGIN
  UPDATE task_space SET bytes = bytes - (coalesce(length(CAST(old.text AS BLOB)), 0)) WHERE account_id = old.account_id;
END;

CREATE TABLE task_help (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  help_id BLOB NOT NULL UNIQUE CHECK (length(help_id) = 16),
  task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  kind TEXT NOT NULL CHECK (kind IN ('request', 'offer')),
  created_at INTEGER NOT NULL,
  closed_at INTEGER
) STRICT;

CREATE INDEX task_help_by_account ON task_help (account_id);

CREATE INDEX task_help_by_task ON task_help (task_id, account_id, kind);

CREATE UNIQUE INDEX task_help_open ON task_help (task_id, account_id, kind) WHERE closed_at IS NULL;

CREATE TABLE task_help_given (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  task_id BLOB NOT NULL CHECK (length(task_id) = 16),
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_links (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  -- What its owner gives away is this id and a keyed hash of it.
  link_id BLOB NOT NULL UNIQUE CHECK (length(link_id) = 16),
  task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  shows_description INTEGER NOT NULL CHECK (shows_description IN (0, 1)),
  shows_owner INTEGER NOT NULL CHECK (shows_owner IN (0, 1)),
  created_at INTEGER NOT NULL, closed_at INTEGER,
  UNIQUE (task_id, account_id)
) STRICT;

CREATE INDEX task_links_by_account ON task_links (account_id, sequence);

CREATE TABLE task_notice_counts (
  subject_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  since INTEGER NOT NULL,
  notice_count INTEGER NOT NULL CHECK (notice_count >= 1),
  PRIMARY KEY (subject_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_notice_counts_by_account ON task_notice_counts (account_id);

CREATE TABLE task_participants (
  task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- the task's, in the order of which an account's tasks are listed
  task_sequence INTEGER NOT NULL,
  -- the task's; 'left' where the account takes part no more
  state TEXT NOT NULL CHECK (state IN ('open', 'completed', 'cancelled', 'left')),
  -- NULL for who made the task, and once who enrolled was deleted
  enrolled_by BLOB CHECK (length(enrolled_by) = 16),
  enrolled_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  -- the task's when the account left
  left_revision INTEGER,
  -- whether it left by itself: then nobody enrols it anew
  has_opted_out INTEGER NOT NULL DEFAULT 0 CHECK (has_opted_out IN (0, 1)), was_removed INTEGER NOT NULL DEFAULT 0 CHECK (was_removed IN (0, 1)),
  PRIMARY KEY (task_id, account_id),
  CHECK (state = 'left' OR left_revision IS NULL),
  CHECK (state <> 'left' OR confirmed_at IS NULL),
  CHECK (state = 'left' OR has_opted_out = 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_participants_by_enroller ON task_participants (enrolled_by) WHERE enrolled_by IS NOT NULL;

CREATE UNIQUE INDEX task_participants_listed ON task_participants (account_id, state, task_sequence);

CREATE TABLE task_parts (
  part_id BLOB NOT NULL PRIMARY KEY CHECK (length(part_id) = 16),
  task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 1),
  -- NULL once who made the task was deleted
  author_account BLOB CHECK (length(author_account) = 16),
  title TEXT NOT NULL CHECK (title <> ''),
  description TEXT CHECK (description <> ''),
  -- NULL where it is anybody's
  assignee_account BLOB CHECK (length(assignee_account) = 16),
  done_at INTEGER,
  -- NULL once who did it was deleted
  done_by BLOB CHECK (length(done_by) = 16), removed_by BLOB CHECK (length(removed_by) = 16),
  CHECK (done_at IS NOT NULL OR done_by IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_parts_by_assignee ON task_parts (assignee_account, task_id) WHERE assignee_account IS NOT NULL;

CREATE INDEX task_parts_by_author ON task_parts (author_account) WHERE author_account IS NOT NULL;

CREATE INDEX task_parts_by_doer ON task_parts (done_by) WHERE done_by IS NOT NULL;

CREATE UNIQUE INDEX task_parts_of_task ON task_parts (task_id, position);

CREATE INDEX task_parts_removed ON task_parts (removed_by) WHERE removed_by IS NOT NULL;

CREATE TRIGGER task_parts_space_added AFTER INSERT ON task_parts WHEN new.author_account IS NOT NULL BEGIN
  INSERT INTO task_space (account_id, bytes) VALUES (new.author_account, coalesce(length(CAST(new.title AS BLOB)), 0) + coalesce(length(CAST(new.description AS BLOB)), 0))
    ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER task_parts_space_changed AFTER UPDATE OF title, description ON task_parts
WHEN new.author_account IS NOT NULL BEGIN
  UPDATE task_space SET bytes = bytes + (coalesce(length(CAST(new.title AS BLOB)), 0) + coalesce(length(CAST(new.description AS BLOB)), 0)) - (coalesce(length(CAST(old.title AS BLOB)), 0) + coalesce(length(CAST(old.description AS BLOB)), 0)) WHERE account_id = new.author_account;
END;

CREATE TRIGGER task_parts_space_removed AFTER DELETE ON task_parts WHEN old.author_account IS NOT NULL BEGIN
  UPDATE task_space SET bytes = bytes - (coalesce(length(CAST(old.title AS BLOB)), 0) + coalesce(length(CAST(old.description AS BLOB)), 0)) WHERE account_id = old.author_account;
END;

CREATE TABLE task_series (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  series_id BLOB NOT NULL UNIQUE CHECK (length(series_id) = 16),
  -- NULL once who made it was deleted
  creator_account BLOB CHECK (length(creator_account) = 16),
  name TEXT NOT NULL CHECK (name <> ''),
  description TEXT CHECK (description <> ''),
  schedule_kind TEXT NOT NULL CHECK (schedule_kind IN ('daily', 'weekdays', 'monthDays', 'everyNDays', 'nthWeekdays')),
  schedule_code INTEGER NOT NULL,
  -- from which a number of days is counted
  anchor_day INTEGER NOT NULL,
  start_day INTEGER NOT NULL,
  end_day INTEGER CHECK (end_day >= start_day),
  -- of the next occurrence, and about when it begins where the creator is; NULL where none is left
  next_day INTEGER,
  next_at INTEGER,
  -- the creator's today when it was advanced last: if that lies in the future, the clock was wrong
  advanced_day INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- by its creator, or since that account was deleted
  ended_at INTEGER, team_id BLOB CHECK (length(team_id) = 16), removed_by BLOB CHECK (length(removed_by) = 16),
  CHECK ((next_day IS NULL) = (next_at IS NULL)),
  CHECK (ended_at IS NULL OR next_day IS NULL),
  CHECK (creator_account IS NOT NULL OR ended_at IS NOT NULL)
) STRICT;

CREATE INDEX task_series_advanced ON task_series (advanced_day) WHERE ended_at IS NULL;

CREATE INDEX task_series_by_creator ON task_series (creator_account, next_day) WHERE creator_account IS NOT NULL;

CREATE INDEX task_series_due ON task_series (next_at) WHERE next_at IS NOT NULL;

CREATE INDEX task_series_of_team ON task_series (team_id) WHERE team_id IS NOT NULL;

CREATE INDEX task_series_removed ON task_series (removed_by) WHERE removed_by IS NOT NULL;

CREATE TRIGGER task_series_orphaned AFTER UPDATE OF creator_account ON task_series
WHEN new.creator_account IS NULL AND NOT EXISTS (SELECT 1 FROM task_series_participants p WHERE p.series_id = new.series_id)
BEGIN
  DELETE FROM task_series WHERE sequence = new.sequence;
END;

CREATE TRIGGER task_series_space_added AFTER INSERT ON task_series WHEN new.creator_account IS NOT NULL BEGIN
  INSERT INTO task_space (account_id, bytes) VALUES (new.creator_account, coalesce(length(CAST(new.name AS BLOB)), 0) + coalesce(length(CAST(new.description AS BLOB)), 0))
    ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER task_series_space_changed AFTER UPDATE OF name, description ON task_series
WHEN new.creator_account IS NOT NULL BEGIN
  UPDATE task_space SET bytes = bytes + (coalesce(length(CAST(new.name AS BLOB)), 0) + coalesce(length(CAST(new.description AS BLOB)), 0)) - (coalesce(length(CAST(old.name AS BLOB)), 0) + coalesce(length(CAST(old.description AS BLOB)), 0)) WHERE account_id = new.creator_account;
END;

CREATE TRIGGER task_series_space_removed AFTER DELETE ON task_series WHEN old.creator_account IS NOT NULL BEGIN
  UPDATE task_space SET bytes = bytes - (coalesce(length(CAST(old.name AS BLOB)), 0) + coalesce(length(CAST(old.description AS BLOB)), 0)) WHERE account_id = old.creator_account;
END;

CREATE TABLE task_series_leavers (
  series_id BLOB NOT NULL REFERENCES task_series (series_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  has_opted_out INTEGER NOT NULL CHECK (has_opted_out IN (0, 1)),
  PRIMARY KEY (series_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_series_leavers_by_account ON task_series_leavers (account_id);

CREATE TABLE task_series_notice_counts (
  subject_id BLOB NOT NULL REFERENCES task_series (series_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  since INTEGER NOT NULL,
  notice_count INTEGER NOT NULL CHECK (notice_count >= 1),
  PRIMARY KEY (subject_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_series_notice_counts_by_account ON task_series_notice_counts (account_id);

CREATE TABLE task_series_participants (
  series_id BLOB NOT NULL REFERENCES task_series (series_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- the series', in the order of which an account's are listed
  series_sequence INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (series_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX task_series_participants_listed ON task_series_participants (account_id, series_sequence);

CREATE TRIGGER task_series_left AFTER DELETE ON task_series_participants BEGIN
  DELETE FROM task_series WHERE series_id = old.series_id AND creator_account IS NULL
    AND NOT EXISTS (SELECT 1 FROM task_series_participants p WHERE p.series_id = old.series_id);
END;

CREATE TABLE task_series_returners (
  series_id BLOB NOT NULL CHECK (length(series_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- after which leaving
  leave_id BLOB NOT NULL CHECK (length(leave_id) = 16),
  PRIMARY KEY (series_id, account_id),
  FOREIGN KEY (series_id, account_id) REFERENCES task_series_participants (series_id, account_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE task_space (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_thanks (
  help_id BLOB NOT NULL REFERENCES task_help (help_id) ON DELETE CASCADE,
  -- who helped
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  at INTEGER NOT NULL,
  PRIMARY KEY (help_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_thanks_by_account ON task_thanks (account_id);

CREATE TABLE task_tokens (
  task_id BLOB NOT NULL PRIMARY KEY CHECK (length(task_id) = 16),
  -- Who made it, and answers for what comes by it.
  maker_account BLOB NOT NULL CHECK (length(maker_account) = 16),
  -- The part that finds it; the other is a keyed hash of task and nonce.
  selector TEXT NOT NULL UNIQUE CHECK (length(selector) = 8),
  nonce BLOB NOT NULL CHECK (length(nonce) = 16),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX task_tokens_by_maker ON task_tokens (maker_account);

CREATE TABLE tasks (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id BLOB NOT NULL UNIQUE CHECK (length(task_id) = 16),
  -- NULL once who made it was deleted
  creator_account BLOB CHECK (length(creator_account) = 16),
  name TEXT NOT NULL CHECK (name <> ''),
  description TEXT CHECK (description <> ''),
  due_day INTEGER,
  state TEXT NOT NULL CHECK (state IN ('open', 'completed', 'cancelled')),
  participant_count INTEGER NOT NULL CHECK (participant_count BETWEEN 0 AND 50),
  confirmed_count INTEGER NOT NULL CHECK (confirmed_count BETWEEN 0 AND participant_count),
  created_at INTEGER NOT NULL,
  completed_at INTEGER,
  cancelled_at INTEGER,
  changed_at INTEGER NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1), series_id BLOB CHECK (length(series_id) = 16), series_day INTEGER CHECK ((series_day IS NULL) = (series_id IS NULL)), team_id BLOB CHECK (length(team_id) = 16), confirmation_leaf INTEGER, links_closed_at INTEGER, removed_by BLOB CHECK (length(removed_by) = 16),
  CHECK ((state = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL)),
  CHECK (state <> 'open' OR confirmed_count < participant_count OR participant_count = 0),
  CHECK (state <> 'completed' OR confirmed_count = participant_count)
) STRICT;

CREATE INDEX tasks_by_creator ON tasks (creator_account, state) WHERE creator_account IS NOT NULL;

CREATE UNIQUE INDEX tasks_of_series ON tasks (series_id, series_day) WHERE series_id IS NOT NULL;

CREATE INDEX tasks_of_team ON tasks (team_id, state, sequence) WHERE team_id IS NOT NULL;

CREATE INDEX tasks_open_of_series ON tasks (series_id, series_day) WHERE series_id IS NOT NULL AND state = 'open';

CREATE INDEX tasks_removed ON tasks (removed_by) WHERE removed_by IS NOT NULL;

CREATE TRIGGER task_attachments_of_deleted_task AFTER DELETE ON tasks BEGIN
  DELETE FROM task_attachments WHERE task_id = old.task_id;
  DELETE FROM task_attachment_uploads WHERE task_id = old.task_id;
  DELETE FROM task_tokens WHERE task_id = old.task_id;
END;

CREATE TRIGGER tasks_space_added AFTER INSERT ON tasks WHEN new.creator_account IS NOT NULL BEGIN
  INSERT INTO task_space (account_id, bytes) VALUES (new.creator_account, coalesce(length(CAST(new.name AS BLOB)), 0) + coalesce(length(CAST(new.description AS BLOB)), 0))
    ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER tasks_space_changed AFTER UPDATE OF name, description ON tasks
WHEN new.creator_account IS NOT NULL BEGIN
  UPDATE task_space SET bytes = bytes + (coalesce(length(CAST(new.name AS BLOB)), 0) + coalesce(length(CAST(new.description AS BLOB)), 0)) - (coalesce(length(CAST(old.name AS BLOB)), 0) + coalesce(length(CAST(old.description AS BLOB)), 0)) WHERE account_id = new.creator_account;
END;

CREATE TRIGGER tasks_space_removed AFTER DELETE ON tasks WHEN old.creator_account IS NOT NULL BEGIN
  UPDATE task_space SET bytes = bytes - (coalesce(length(CAST(old.name AS BLOB)), 0) + coalesce(length(CAST(old.description AS BLOB)), 0)) WHERE account_id = old.creator_account;
END;

CREATE TABLE team_invitations (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  team_invitation_id BLOB NOT NULL UNIQUE CHECK (length(team_invitation_id) = 16),
  team_id BLOB NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
  from_account BLOB NOT NULL CHECK (length(from_account) = 16),
  to_account BLOB NOT NULL CHECK (length(to_account) = 16),
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'withdrawn', 'expired')),
  sent_at INTEGER NOT NULL,
  -- when it stopped waiting, in whichever way
  answered_at INTEGER,
  -- whether the one that it is for never sees it
  is_hidden INTEGER NOT NULL CHECK (is_hidden IN (0, 1)),
  changed_at INTEGER NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1), known_username TEXT, known_nickname TEXT,
  CHECK (from_account <> to_account),
  CHECK ((state = 'pending') = (answered_at IS NULL))
) STRICT;

CREATE INDEX team_invitations_by_sender ON team_invitations (from_account);

CREATE UNIQUE INDEX team_invitations_pending ON team_invitations (team_id, to_account) WHERE state = 'pending';

CREATE INDEX team_invitations_received ON team_invitations (to_account, sequence);

CREATE INDEX team_invitations_received_by_state ON team_invitations (to_account, state, sequence);

CREATE INDEX team_invitations_sent ON team_invitations (team_id, sequence);

CREATE INDEX team_invitations_sent_by_state ON team_invitations (team_id, state, sequence);

CREATE INDEX team_invitations_waiting ON team_invitations (sent_at) WHERE state = 'pending';

CREATE TABLE team_leavers (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  team_id BLOB NOT NULL CHECK (length(team_id) = 16),
  -- another each time that the account leaves
  leave_id BLOB NOT NULL CHECK (length(leave_id) = 16),
  -- of the team's recurring tasks, those with smaller sequence numbers are still to be left
  before_series INTEGER NOT NULL,
  PRIMARY KEY (account_id, team_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE team_members (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  -- the last one that it was in, which may have ended since
  team_id BLOB NOT NULL CHECK (length(team_id) = 16),
  -- 1, 2, 3, … in the order in which they came; null once it is in the team no more
  position INTEGER CHECK (position >= 1),
  is_owner INTEGER NOT NULL CHECK (is_owner IN (0, 1)),
  joined_at INTEGER NOT NULL,
  change TEXT NOT NULL
    CHECK (change IN ('created', 'added', 'joined', 'madeOwner', 'handedOver', 'renamed', 'left', 'removed')),
  changed_at INTEGER NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  CHECK (position IS NOT NULL OR is_owner = 0),
  CHECK ((position IS NULL) = (change IN ('left', 'removed')))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX team_members_by_team ON team_members (team_id, position) WHERE position IS NOT NULL;

CREATE UNIQUE INDEX team_members_owner ON team_members (team_id) WHERE is_owner = 1;

CREATE TRIGGER team_members_added AFTER INSERT ON team_members WHEN new.position IS NOT NULL BEGIN
  UPDATE teams SET member_count = member_count + 1 WHERE team_id = new.team_id;
END;

CREATE TRIGGER team_members_changed AFTER UPDATE OF team_id, position ON team_members BEGIN
  UPDATE teams SET member_count = member_count + 1 WHERE team_id = new.team_id AND new.position IS NOT NULL;
  UPDATE teams SET member_count = member_count - 1 WHERE team_id = old.team_id AND old.position IS NOT NULL;
  DELETE FROM teams WHERE team_id = old.team_id AND member_count = 0;
END;

CREATE TRIGGER team_members_deleted AFTER DELETE ON team_members WHEN old.position IS NOT NULL BEGIN
  UPDATE teams SET member_count = member_count - 1 WHERE team_id = old.team_id;
  DELETE FROM teams WHERE team_id = old.team_id AND member_count = 0;
END;

CREATE TABLE team_points (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  task_id BLOB NOT NULL CHECK (length(task_id) = 16),
  team_id BLOB NOT NULL CHECK (length(team_id) = 16),
  period INTEGER NOT NULL CHECK (period > 0),
  PRIMARY KEY (account_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE team_score_bands (
  period INTEGER NOT NULL,
  band INTEGER NOT NULL,
  team_count INTEGER NOT NULL CHECK (team_count >= 0),
  PRIMARY KEY (period, band)
) STRICT, WITHOUT ROWID;

CREATE TABLE team_score_counts (
  period INTEGER NOT NULL,
  score INTEGER NOT NULL,
  team_count INTEGER NOT NULL CHECK (team_count >= 0),
  PRIMARY KEY (period, score)
) STRICT, WITHOUT ROWID;

CREATE TABLE team_scores (
  team_id BLOB NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
  -- 0 for all time, 202611 for November 2026 in UTC
  period INTEGER NOT NULL,
  score INTEGER NOT NULL CHECK (score >= 0),
  PRIMARY KEY (team_id, period),
  CHECK (period = 0 OR score > 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_scores_best ON team_scores (period, score, team_id);

CREATE TRIGGER team_scores_added AFTER INSERT ON team_scores BEGIN
  INSERT INTO team_score_counts (period, score, team_count) VALUES (new.period, new.score, 0)
    ON CONFLICT (period, score) DO NOTHING;
  UPDATE team_score_counts SET team_count = team_count + 1 WHERE period = new.period AND score = new.score;
  DELETE FROM team_score_counts WHERE period = new.period AND score = new.score AND team_count = 0;
  INSERT INTO team_score_bands (period, band, team_count)
    VALUES (new.period, new.score / 256, 0) ON CONFLICT (period, band) DO NOTHING;
  UPDATE team_score_bands SET team_count = team_count + 1
    WHERE period = new.period AND band = new.score / 256;
  DELETE FROM team_score_bands
    WHERE period = new.period AND band = new.score / 256 AND team_count = 0;
END;

CREATE TRIGGER team_scores_changed AFTER UPDATE OF score ON team_scores BEGIN
  INSERT INTO team_score_counts (period, score, team_count) VALUES (old.period, old.score, 0)
    ON CONFLICT (period, score) DO NOTHING;
  UPDATE team_score_counts SET team_count = team_count - 1 WHERE period = old.period AND score = old.score;
  DELETE FROM team_score_counts WHERE period = old.period AND score = old.score AND team_count = 0;
  INSERT INTO team_score_bands (period, band, team_count)
    VALUES (old.period, old.score / 256, 0) ON CONFLICT (period, band) DO NOTHING;
  UPDATE team_score_bands SET team_count = team_count - 1
    WHERE period = old.period AND band = old.score / 256;
  DELETE FROM team_score_bands
    WHERE period = old.period AND band = old.score / 256 AND team_count = 0;
  INSERT INTO team_score_counts (period, score, team_count) VALUES (new.period, new.score, 0)
    ON CONFLICT (period, score) DO NOTHING;
  UPDATE team_score_counts SET team_count = team_count + 1 WHERE period = new.period AND score = new.score;
  DELETE FROM team_score_counts WHERE period = new.period AND score = new.score AND team_count = 0;
  INSERT INTO team_score_bands (period, band, team_count)
    VALUES (new.period, new.score / 256, 0) ON CONFLICT (period, band) DO NOTHING;
  UPDATE team_score_bands SET team_count = team_count + 1
    WHERE period = new.period AND band = new.score / 256;
  DELETE FROM team_score_bands
    WHERE period = new.period AND band = new.score / 256 AND team_count = 0;
END;

CREATE TRIGGER team_scores_deleted AFTER DELETE ON team_scores BEGIN
  INSERT INTO team_score_counts (period, score, team_count) VALUES (old.period, old.score, 0)
    ON CONFLICT (period, score) DO NOTHING;
  UPDATE team_score_counts SET team_count = team_count - 1 WHERE period = old.period AND score = old.score;
  DELETE FROM team_score_counts WHERE period = old.period AND score = old.score AND team_count = 0;
  INSERT INTO team_score_bands (period, band, team_count)
    VALUES (old.period, old.score / 256, 0) ON CONFLICT (period, band) DO NOTHING;
  UPDATE team_score_bands SET team_count = team_count - 1
    WHERE period = old.period AND band = old.score / 256;
  DELETE FROM team_score_bands
    WHERE period = old.period AND band = old.score / 256 AND team_count = 0;
END;

CREATE TABLE team_task_leavers (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_task_leavers_by_task ON team_task_leavers (task_id);

CREATE TABLE teams (
  team_id BLOB NOT NULL PRIMARY KEY CHECK (length(team_id) = 16),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- counted by the triggers of team_members, which delete the team with its last member
  member_count INTEGER NOT NULL DEFAULT 0 CHECK (member_count BETWEEN 0 AND 50)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER team_scores_begun AFTER INSERT ON teams BEGIN
  INSERT INTO team_scores (team_id, period, score) VALUES (new.team_id, 0, 0);
END;
