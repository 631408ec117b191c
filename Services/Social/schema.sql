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
, consents TEXT NOT NULL DEFAULT '', mutes_help INTEGER NOT NULL DEFAULT 0 CHECK (mutes_help IN (0, 1))) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_by_username ON accounts (username);

CREATE TABLE conversation_sides (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  other_account BLOB NOT NULL CHECK (length(other_account) = 16),
  conversation_id BLOB NOT NULL REFERENCES conversations (conversation_id),
  last_sequence INTEGER NOT NULL,
  read_sequence INTEGER NOT NULL DEFAULT 0,
  unread_count INTEGER NOT NULL DEFAULT 0 CHECK (unread_count >= 0),
  PRIMARY KEY (account_id, other_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversation_sides_by_conversation ON conversation_sides (conversation_id);

CREATE INDEX conversation_sides_by_other ON conversation_sides (other_account);

CREATE INDEX conversation_sides_newest ON conversation_sides (account_id, last_sequence);

CREATE TABLE conversations (
  conversation_id BLOB NOT NULL PRIMARY KEY CHECK (length(conversation_id) = 16),
  low_account BLOB NOT NULL CHECK (length(low_account) = 16),
  high_account BLOB NOT NULL CHECK (length(high_account) = 16),
  UNIQUE (low_account, high_account),
  CHECK (low_account < high_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversations_by_high_account ON conversations (high_account);

CREATE TABLE follow_requests (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  follow_request_id BLOB NOT NULL UNIQUE CHECK (length(follow_request_id) = 16),
  from_account BLOB NOT NULL CHECK (length(from_account) = 16),
  to_account BLOB NOT NULL CHECK (length(to_account) = 16),
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected')),
  sent_at INTEGER NOT NULL,
  answered_at INTEGER,
  CHECK (from_account <> to_account),
  CHECK ((state = 'pending') = (answered_at IS NULL))
) STRICT;

CREATE UNIQUE INDEX follow_requests_pending ON follow_requests (from_account, to_account) WHERE state = 'pending';

CREATE INDEX follow_requests_received ON follow_requests (to_account, sequence);

CREATE INDEX follow_requests_sent ON follow_requests (from_account, sequence);

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

CREATE TABLE friend_requests (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  friend_request_id BLOB NOT NULL UNIQUE CHECK (length(friend_request_id) = 16),
  from_account BLOB NOT NULL CHECK (length(from_account) = 16),
  to_account BLOB NOT NULL CHECK (length(to_account) = 16),
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected')),
  sent_at INTEGER NOT NULL,
  answered_at INTEGER,
  CHECK (from_account <> to_account),
  CHECK ((state = 'pending') = (answered_at IS NULL))
) STRICT;

CREATE UNIQUE INDEX friend_requests_pending ON friend_requests (min(from_account, to_account), max(from_account, to_account)) WHERE state = 'pending';

CREATE INDEX friend_requests_received ON friend_requests (to_account, sequence);

CREATE INDEX friend_requests_sent ON friend_requests (from_account, sequence);

CREATE TABLE friendships (
  low_account BLOB NOT NULL CHECK (length(low_account) = 16),
  high_account BLOB NOT NULL CHECK (length(high_account) = 16),
  since INTEGER NOT NULL,
  PRIMARY KEY (low_account, high_account),
  CHECK (low_account < high_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX friendships_by_high_account ON friendships (high_account);

CREATE TABLE messages (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id BLOB NOT NULL UNIQUE CHECK (length(message_id) = 16),
  conversation_id BLOB NOT NULL REFERENCES conversations (conversation_id),
  from_account BLOB NOT NULL CHECK (length(from_account) = 16),
  text TEXT NOT NULL CHECK (text <> ''),
  sent_at INTEGER NOT NULL
) STRICT;

CREATE INDEX messages_by_writer ON messages (from_account);

CREATE INDEX messages_of_conversation ON messages (conversation_id, sequence);
