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

CREATE TABLE blocked_deliveries (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  other_account BLOB NOT NULL CHECK (length(other_account) = 16),
  -- The last that waited when the block began. Ids grow with the clock: what comes after it has been set back over a restart may
  -- end too, which is accepted.
  last_delivery BLOB NOT NULL CHECK (length(last_delivery) = 16),
  PRIMARY KEY (account_id, other_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocked_deliveries_by_other ON blocked_deliveries (other_account);

CREATE TABLE blocked_notifications (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  other_account BLOB NOT NULL CHECK (length(other_account) = 16),
  after INTEGER NOT NULL CHECK (after >= 0),
  through INTEGER NOT NULL CHECK (through >= after),
  PRIMARY KEY (account_id, other_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocked_notifications_by_other ON blocked_notifications (other_account);

CREATE TABLE blocks (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  other_account BLOB NOT NULL CHECK (length(other_account) = 16),
  -- A block that ended stays, so that an event of it that comes late has no effect.
  is_apart INTEGER NOT NULL CHECK (is_apart IN (0, 1)),
  revision INTEGER NOT NULL,
  PRIMARY KEY (account_id, other_account)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_by_other ON blocks (other_account);

CREATE TABLE broadcasts (
  broadcast_id BLOB NOT NULL PRIMARY KEY CHECK (length(broadcast_id) = 16),
  message TEXT NOT NULL CHECK (json_valid(message)),
  per_minute INTEGER NOT NULL CHECK (per_minute > 0),
  state TEXT NOT NULL CHECK (state IN ('sending', 'done', 'cancelled')),
  -- Up to which account it has gone.
  last_account BLOB,
  sent_count INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  finished_at INTEGER, last_day INTEGER,
  CHECK ((state = 'sending') = (finished_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX broadcasts_by_last_account ON broadcasts (last_account) WHERE last_account IS NOT NULL;

CREATE INDEX broadcasts_sending ON broadcasts (broadcast_id) WHERE state = 'sending';

CREATE TABLE "daily_checks" (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  due_at INTEGER NOT NULL,
  -- The account's day of the last check.
  last_day INTEGER,
  -- Its rank among friends then, of the month that begins so.
  month INTEGER,
  rank INTEGER CHECK (rank >= 1)
) STRICT, WITHOUT ROWID;

CREATE INDEX daily_checks_due ON daily_checks (due_at);

CREATE TABLE deliveries (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  delivery_id BLOB NOT NULL CHECK (length(delivery_id) = 16),
  channel TEXT NOT NULL CHECK (channel IN ('inbox', 'email', 'push')),
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
  notification_id BLOB,
  state TEXT NOT NULL CHECK (state IN ('held', 'queued', 'sent', 'failed', 'silent')),
  -- Why it is held, failed or silent.
  reason TEXT,
  -- Why it was held, if it was.
  hold TEXT,
  not_before INTEGER,
  -- The mail that carries it, perhaps with others.
  mail_id BLOB,
  -- What it says, where that stands in no inbox.
  content TEXT CHECK (content IS NULL OR json_valid(content)),
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  opened_at INTEGER, shown_until INTEGER, ends_at INTEGER, opened_in BLOB CHECK (length(opened_in) = 16),
  PRIMARY KEY (account_id, delivery_id),
  CHECK ((state = 'held') = (not_before IS NOT NULL)),
  CHECK ((state IN ('held', 'queued')) = (finished_at IS NULL)),
  CHECK (content IS NULL OR finished_at IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_by_mail ON deliveries (mail_id) WHERE mail_id IS NOT NULL;

CREATE INDEX deliveries_by_time ON deliveries (created_at);

CREATE INDEX deliveries_dead_pushes ON deliveries (delivery_id) WHERE channel = 'push' AND state = 'failed';

CREATE INDEX deliveries_due ON deliveries (not_before) WHERE state = 'held';

CREATE INDEX deliveries_held ON deliveries (account_id, channel, not_before) WHERE state = 'held';

CREATE UNIQUE INDEX deliveries_out_of_inbox ON deliveries (account_id, source)
  WHERE channel = 'inbox' AND state = 'silent';

CREATE INDEX deliveries_queued ON deliveries (channel, kind) WHERE state = 'queued';

CREATE INDEX deliveries_shown ON deliveries (account_id, source) WHERE shown_until IS NOT NULL;

CREATE INDEX deliveries_waiting ON deliveries (account_id, source) WHERE state IN ('held', 'queued');

CREATE TABLE delivery_accounts (
  account_id BLOB NOT NULL,
  delivery_id BLOB NOT NULL,
  named_account BLOB NOT NULL CHECK (length(named_account) = 16),
  PRIMARY KEY (account_id, delivery_id, named_account),
  FOREIGN KEY (account_id, delivery_id) REFERENCES deliveries (account_id, delivery_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_accounts_by_name ON delivery_accounts (named_account);

CREATE TABLE delivery_figures (
  -- When a day of UTC starts.
  day INTEGER NOT NULL,
  channel TEXT NOT NULL,
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, channel, kind, outcome, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE inboxes (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  last_number INTEGER NOT NULL CHECK (last_number >= 0),
  last_change INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;

CREATE TABLE "mails" (
  mail_id BLOB NOT NULL PRIMARY KEY CHECK (length(mail_id) = 16),
  kind TEXT NOT NULL,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- A link, a change of a password: one mail for each, however often it is asked for.
  subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'delivered', 'obsolete', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_at INTEGER NOT NULL,
  failure TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  UNIQUE (kind, subject_id),
  CHECK ((state IN ('waiting', 'sending')) = (finished_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX mails_by_account ON mails (account_id);

CREATE INDEX mails_dead ON mails (mail_id) WHERE state = 'dead';

CREATE INDEX mails_due ON mails (next_at) WHERE state = 'waiting';

CREATE INDEX mails_finished ON mails (state, finished_at) WHERE finished_at IS NOT NULL;

CREATE INDEX mails_sending ON mails (mail_id) WHERE state = 'sending';

CREATE TABLE notification_accounts (
  notification_id BLOB NOT NULL REFERENCES notifications (notification_id) ON DELETE CASCADE,
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  PRIMARY KEY (notification_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_accounts_by_account ON notification_accounts (account_id);

CREATE TABLE notification_choices (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- 'category.' or 'kind.', and its name.
  topic TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('inbox', 'email', 'push')),
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  PRIMARY KEY (account_id, topic, channel)
) STRICT, WITHOUT ROWID;

CREATE TABLE notification_help_choosers (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16)
) STRICT, WITHOUT ROWID;

CREATE TABLE notifications (
  notification_id BLOB NOT NULL PRIMARY KEY CHECK (length(notification_id) = 16),
  account_id BLOB NOT NULL REFERENCES inboxes (account_id),
  number INTEGER NOT NULL CHECK (number > 0),
  kind TEXT NOT NULL,
  -- The values and links as JSON; emptied when the notification is deleted.
  content TEXT NOT NULL CHECK (json_valid(content)),
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  read_at INTEGER,
  deleted_at INTEGER, category TEXT NOT NULL DEFAULT '', change INTEGER,
  UNIQUE (account_id, number),
  UNIQUE (account_id, source)
) STRICT;

CREATE INDEX notifications_by_category ON notifications (account_id, category, number) WHERE deleted_at IS NULL;

CREATE INDEX notifications_changed ON notifications (account_id, change) WHERE change IS NOT NULL;

CREATE INDEX notifications_deleted ON notifications (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX notifications_of_conversation ON notifications (account_id, json_extract(content, '$.links.conversationID'), number)
  WHERE category = 'messages' AND read_at IS NULL AND deleted_at IS NULL;

CREATE INDEX notifications_present ON notifications (account_id, number) WHERE deleted_at IS NULL;

CREATE INDEX notifications_read ON notifications (read_at) WHERE read_at IS NOT NULL;

CREATE INDEX notifications_unread ON notifications (account_id, number, category)
  WHERE read_at IS NULL AND deleted_at IS NULL;

CREATE TRIGGER unread_counts_lowered AFTER UPDATE OF read_at, deleted_at ON notifications
WHEN OLD.read_at IS NULL AND OLD.deleted_at IS NULL AND (NEW.read_at IS NOT NULL OR NEW.deleted_at IS NOT NULL)
  -- What a mark covers is not counted any more.
  AND NOT EXISTS (SELECT 1 FROM read_marks WHERE account_id = OLD.account_id AND through >= OLD.number)
BEGIN
  UPDATE unread_counts SET count = count - 1 WHERE account_id = OLD.account_id AND category = OLD.category;
END;

CREATE TRIGGER unread_counts_raised AFTER INSERT ON notifications
WHEN NEW.read_at IS NULL AND NEW.deleted_at IS NULL
BEGIN
  INSERT INTO unread_counts (account_id, category, count) VALUES (NEW.account_id, NEW.category, 1)
  ON CONFLICT (account_id, category) DO UPDATE SET count = count + 1;
END;

CREATE TABLE push_message_deliveries (
  message_id BLOB NOT NULL REFERENCES push_messages (message_id) ON DELETE CASCADE,
  delivery_id BLOB NOT NULL CHECK (length(delivery_id) = 16),
  PRIMARY KEY (message_id, delivery_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE push_messages (
  message_id BLOB NOT NULL PRIMARY KEY CHECK (length(message_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- The same for what replaces one another.
  source TEXT NOT NULL,
  urgency TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- Whether a device's push service took it, or the last reason why one did not.
  was_sent INTEGER NOT NULL DEFAULT 0 CHECK (was_sent IN (0, 1)),
  failure TEXT
, is_repeat INTEGER NOT NULL DEFAULT 0 CHECK (is_repeat IN (0, 1))) STRICT, WITHOUT ROWID;

CREATE INDEX push_messages_by_expiry ON push_messages (expires_at);

CREATE INDEX push_messages_by_source ON push_messages (account_id, source);

CREATE TABLE push_requests (
  message_id BLOB NOT NULL REFERENCES push_messages (message_id) ON DELETE CASCADE,
  subscription_id BLOB NOT NULL REFERENCES push_subscriptions (subscription_id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sending')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_at INTEGER NOT NULL,
  PRIMARY KEY (message_id, subscription_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX push_requests_by_subscription ON push_requests (subscription_id);

CREATE INDEX push_requests_due ON push_requests (next_at) WHERE state = 'waiting';

CREATE INDEX push_requests_sending ON push_requests (message_id) WHERE state = 'sending';

CREATE TABLE push_subscriptions (
  subscription_id BLOB NOT NULL PRIMARY KEY CHECK (length(subscription_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  session_id BLOB NOT NULL CHECK (length(session_id) = 16),
  endpoint TEXT NOT NULL,
  -- The device's key, and the secret that it shares with the server.
  device_key BLOB NOT NULL CHECK (length(device_key) = 65),
  secret BLOB NOT NULL CHECK (length(secret) = 16),
  -- The public half of the server's key that it was made with.
  server_key BLOB NOT NULL CHECK (length(server_key) = 65),
  name TEXT,
  -- The account's where null.
  language TEXT,
  created_at INTEGER NOT NULL,
  last_sent_at INTEGER,
  -- When identity last said how the session stands; 0 where it is to be asked before anything is sent.
  checked_at INTEGER NOT NULL,
  is_paused INTEGER NOT NULL CHECK (is_paused IN (0, 1)),
  UNIQUE (account_id, endpoint)
) STRICT, WITHOUT ROWID;

CREATE INDEX push_subscriptions_by_check ON push_subscriptions (checked_at);

CREATE INDEX push_subscriptions_by_endpoint ON push_subscriptions (endpoint);

CREATE INDEX push_subscriptions_by_session ON push_subscriptions (session_id);

CREATE TABLE quiet_hours (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  -- Minutes after midnight.
  starts_at INTEGER NOT NULL CHECK (starts_at BETWEEN 0 AND 1439),
  ends_at INTEGER NOT NULL CHECK (ends_at BETWEEN 0 AND 1439 AND ends_at <> starts_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE quiet_hours_changes (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16)
) STRICT, WITHOUT ROWID;

CREATE TABLE read_conversations (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  conversation_id BLOB NOT NULL CHECK (length(conversation_id) = 16),
  through INTEGER NOT NULL CHECK (through > 0),
  read_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, conversation_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE read_marks (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  through INTEGER NOT NULL CHECK (through > 0),
  read_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, through)
) STRICT, WITHOUT ROWID;

CREATE TABLE reminders (
  reminder_id BLOB NOT NULL PRIMARY KEY CHECK (length(reminder_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  activity_id BLOB NOT NULL CHECK (length(activity_id) = 16),
  title TEXT NOT NULL,
  day INTEGER NOT NULL,
  minute INTEGER NOT NULL CHECK (minute BETWEEN 0 AND 1439),
  -- what it is of: the same is sent once
  source TEXT NOT NULL,
  -- until when it can be answered
  ends_at INTEGER NOT NULL,
  answer TEXT CHECK (answer IN ('done', 'again')),
  remind_at INTEGER,
  UNIQUE (account_id, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX reminders_by_activity ON reminders (account_id, activity_id, day);

CREATE INDEX reminders_by_end ON reminders (ends_at);

CREATE TABLE report_files (
  mail_id BLOB NOT NULL PRIMARY KEY CHECK (length(mail_id) = 16),
  created_at INTEGER NOT NULL,
  remove_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX report_files_due ON report_files (remove_at);

CREATE TABLE unread_counts (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  category TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (account_id, category)
) STRICT, WITHOUT ROWID;

CREATE TABLE weekly_summaries (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  -- The Monday of the week that is summarized next; NULL for the current one.
  first_day INTEGER,
  due_at INTEGER NOT NULL,
  -- How often services that are asked did not answer.
  attempts INTEGER NOT NULL DEFAULT 0,
  -- The last that was written.
  summary_id BLOB CHECK (length(summary_id) = 16),
  summary TEXT CHECK (summary IS NULL OR json_valid(summary)),
  CHECK ((summary_id IS NULL) = (summary IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX weekly_summaries_due ON weekly_summaries (due_at);
