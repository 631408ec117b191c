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

CREATE TABLE badge_visibilities (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  to_friends INTEGER NOT NULL CHECK (to_friends IN (0, 1)),
  on_public_profile INTEGER NOT NULL CHECK (on_public_profile IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_activities (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  activity_id BLOB NOT NULL CHECK (length(activity_id) = 16),
  -- in days: the present streak, and the longest
  streak INTEGER NOT NULL DEFAULT 0 CHECK (streak >= 0),
  longest INTEGER NOT NULL DEFAULT 0 CHECK (longest >= streak),
  revision INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, activity_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_completions (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  challenge_id BLOB NOT NULL REFERENCES challenges,
  -- 1 of a challenge; 1, 2, 3 of an achievement: bronze, silver, gold
  level INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3),
  completion_id BLOB NOT NULL UNIQUE CHECK (length(completion_id) = 16),
  -- the days that sufficed
  first_day INTEGER NOT NULL,
  last_day INTEGER NOT NULL CHECK (last_day >= first_day),
  completed_at INTEGER NOT NULL,
  -- what was paid and not taken back: it is not paid again
  coins INTEGER NOT NULL CHECK (coins >= 0),
  -- the last that was paid for it
  transfer_id BLOB REFERENCES challenge_rewards,
  -- 0 once a correction took it back
  is_current INTEGER NOT NULL CHECK (is_current IN (0, 1)), correction TEXT CHECK (correction IN ('granted', 'revoked')),
  PRIMARY KEY (account_id, challenge_id, level)
) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_corrections (
  correction_id BLOB NOT NULL PRIMARY KEY CHECK (length(correction_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  challenge_id BLOB NOT NULL REFERENCES challenges,
  level INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3),
  is_granted INTEGER NOT NULL CHECK (is_granted IN (0, 1)),
  -- how many came or went with it
  coins INTEGER NOT NULL CHECK (coins >= 0),
  reason TEXT NOT NULL CHECK (reason <> ''),
  -- null once the administrator's account was erased
  administrator_id BLOB CHECK (length(administrator_id) = 16),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX challenge_corrections_by_account ON challenge_corrections (account_id, correction_id);

CREATE INDEX challenge_corrections_by_administrator ON challenge_corrections (administrator_id);

CREATE TABLE challenge_days (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  day INTEGER NOT NULL,
  steps INTEGER NOT NULL DEFAULT 0 CHECK (steps >= 0),
  walking INTEGER NOT NULL DEFAULT 0 CHECK (walking >= 0),
  running INTEGER NOT NULL DEFAULT 0 CHECK (running >= 0),
  cycling INTEGER NOT NULL DEFAULT 0 CHECK (cycling >= 0),
  entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
  tasks INTEGER NOT NULL DEFAULT 0 CHECK (tasks >= 0),
  helps INTEGER NOT NULL DEFAULT 0 CHECK (helps >= 0),
  -- the state of the day's movement; older ones come too late
  revision INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_entries (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  activity_id BLOB NOT NULL CHECK (length(activity_id) = 16),
  block INTEGER NOT NULL,
  days INTEGER NOT NULL CHECK (days > 0),
  PRIMARY KEY (account_id, activity_id, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_rewards (
  transfer_id BLOB NOT NULL PRIMARY KEY REFERENCES transfers (transfer_id),
  completion_id BLOB NOT NULL UNIQUE CHECK (length(completion_id) = 16),
  challenge_id BLOB NOT NULL REFERENCES challenges
) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_stamps (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), stamp BLOB NOT NULL) STRICT;

CREATE TABLE challenge_tasks (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  task_id BLOB NOT NULL CHECK (length(task_id) = 16),
  -- the days on which they count; null while they do not
  confirmed_day INTEGER,
  helped_day INTEGER,
  PRIMARY KEY (account_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_teams (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  team_id BLOB NOT NULL CHECK (length(team_id) = 16),
  PRIMARY KEY (account_id, team_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE challenge_totals (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  steps INTEGER NOT NULL DEFAULT 0 CHECK (steps >= 0),
  walking INTEGER NOT NULL DEFAULT 0 CHECK (walking >= 0),
  running INTEGER NOT NULL DEFAULT 0 CHECK (running >= 0),
  cycling INTEGER NOT NULL DEFAULT 0 CHECK (cycling >= 0),
  entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
  tasks INTEGER NOT NULL DEFAULT 0 CHECK (tasks >= 0),
  helps INTEGER NOT NULL DEFAULT 0 CHECK (helps >= 0),
  -- what was not awarded yet: 'all' while the account was suspended or not known, 'movement' without its consent
  held TEXT NOT NULL DEFAULT 'nothing' CHECK (held IN ('nothing', 'movement', 'all'))
) STRICT, WITHOUT ROWID;

CREATE TABLE challenges (
  challenge_id BLOB NOT NULL PRIMARY KEY CHECK (length(challenge_id) = 16),
  metric TEXT NOT NULL,
  time_window TEXT NOT NULL,
  steps_a_day INTEGER CHECK (steps_a_day >= 1),
  from_day INTEGER,
  to_day INTEGER CHECK (to_day >= from_day),
  -- how many days from the registration on count; null for all
  first_days INTEGER CHECK (first_days >= 1),
  -- bronze and silver of an achievement; a challenge has neither
  bronze INTEGER CHECK (bronze >= 1),
  silver INTEGER CHECK (silver > bronze),
  -- of a challenge; of an achievement: gold
  threshold INTEGER NOT NULL CHECK (threshold >= 1 AND (silver IS NULL OR threshold > silver)),
  coins INTEGER NOT NULL CHECK (coins >= 0),
  icon TEXT NOT NULL,
  -- ChallengeTexts as JSON
  texts TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  retired_at INTEGER,
  -- how far what accounts had already done is counted; null once all are
  counted_through BLOB CHECK (length(counted_through) = 16),
  CHECK ((steps_a_day IS NOT NULL) = (metric = 'daysInARow')),
  CHECK ((from_day IS NOT NULL) = (time_window = 'range') AND (to_day IS NOT NULL) = (time_window = 'range')),
  CHECK ((bronze IS NULL) = (silver IS NULL)),
  CHECK (coins = 0 OR bronze IS NULL
    AND metric IN ('steps', 'walkingMeters', 'runningMeters', 'cyclingMeters', 'daysInARow'))
) STRICT, WITHOUT ROWID;

CREATE INDEX challenges_to_count ON challenges (counted_through) WHERE counted_through IS NOT NULL;

CREATE TABLE coin_adjustments (
  transfer_id BLOB NOT NULL PRIMARY KEY REFERENCES transfers (transfer_id),
  -- null once the administrator's account was erased
  administrator_id BLOB CHECK (length(administrator_id) = 16)
) STRICT, WITHOUT ROWID;

CREATE INDEX coin_adjustments_by_administrator ON coin_adjustments (administrator_id);

CREATE TABLE coin_lots (
  lot_id INTEGER NOT NULL PRIMARY KEY,
  ledger_account_id INTEGER NOT NULL REFERENCES ledger_accounts,
  -- the local day whose steps its coins are for
  day INTEGER,
  -- until when its coins can be spent; the end of time where that is for ever
  ends_at INTEGER NOT NULL,
  is_announced INTEGER NOT NULL DEFAULT 0 CHECK (is_announced IN (0, 1)),
  rest INTEGER NOT NULL DEFAULT 0 CHECK (rest >= 0),
  -- the last transfer that moved coins of it
  last_number INTEGER
) STRICT;

CREATE INDEX coin_lots_by_day ON coin_lots (ledger_account_id, day, ends_at) WHERE day IS NOT NULL;

CREATE INDEX coin_lots_by_end ON coin_lots (ledger_account_id, ends_at, lot_id) WHERE rest > 0;

CREATE INDEX coin_lots_that_end ON coin_lots (ends_at) WHERE rest > 0 AND ends_at < 253402300799999;

CREATE INDEX coin_lots_to_be_announced ON coin_lots (ends_at)
  WHERE rest > 0 AND ends_at < 253402300799999 AND is_announced = 0;

CREATE TRIGGER coin_lots_are_not_deleted BEFORE DELETE ON coin_lots
BEGIN SELECT RAISE(ABORT, 'a lot is never deleted'); END;

CREATE TRIGGER coin_lots_begin_empty BEFORE INSERT ON coin_lots
WHEN NEW.rest <> 0 OR NEW.last_number IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a lot begins empty'); END;

CREATE TRIGGER coin_lots_move_by_transfer BEFORE UPDATE OF lot_id, ledger_account_id, day, rest, last_number ON coin_lots
WHEN NEW.lot_id <> OLD.lot_id OR NEW.ledger_account_id <> OLD.ledger_account_id OR NEW.day IS NOT OLD.day
  OR NEW.last_number IS OLD.last_number OR NOT EXISTS (
    SELECT 1 FROM lot_moves WHERE number = NEW.last_number AND lot_id = OLD.lot_id AND NEW.rest = OLD.rest + coins)
BEGIN SELECT RAISE(ABORT, 'a lot changes only by a transfer'); END;

CREATE TABLE consent_withdrawals (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE "counted_days" (
  account_id BLOB NOT NULL REFERENCES ledger_accounts (account_id) ON UPDATE CASCADE,
  day INTEGER NOT NULL,
  steps INTEGER NOT NULL CHECK (steps >= 0),
  -- the state of the day that was counted; older ones come too late
  revision INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE earnings (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  carried_steps INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE leaderboard_counts (
  period INTEGER NOT NULL,
  -- 0 steps, 1 coins
  metric INTEGER NOT NULL CHECK (metric IN (0, 1)),
  level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 2),
  bucket INTEGER NOT NULL,
  people INTEGER NOT NULL CHECK (people >= 0),
  PRIMARY KEY (period, metric, level, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE leaderboard_days (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  day INTEGER NOT NULL,
  steps INTEGER NOT NULL CHECK (steps >= 0),
  revision INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE leaderboard_people (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  is_seen INTEGER NOT NULL CHECK (is_seen IN (0, 1)),
  is_shown INTEGER NOT NULL CHECK (is_shown IN (0, 1)),
  CHECK (is_shown <= is_seen)
) STRICT, WITHOUT ROWID;

CREATE TABLE leaderboard_scores (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  -- 0 for all time, 202611 for November 2026 where the account lives
  period INTEGER NOT NULL,
  steps INTEGER NOT NULL DEFAULT 0 CHECK (steps >= 0),
  -- less than none where coins of a month were taken back from another's
  coins INTEGER NOT NULL DEFAULT 0,
  is_shown INTEGER NOT NULL CHECK (is_shown IN (0, 1)),
  -- whether it counts for the others' ranks: in months that are over also where it is shown no longer, and in months whose ranks stand
  -- not where it came to be shown later
  is_counted INTEGER NOT NULL CHECK (is_counted IN (0, 1)),
  PRIMARY KEY (account_id, period)
) STRICT, WITHOUT ROWID;

CREATE INDEX leaderboard_scores_by_coins ON leaderboard_scores (period, coins, account_id) WHERE is_shown = 1;

CREATE INDEX leaderboard_scores_by_steps ON leaderboard_scores (period, steps, account_id) WHERE is_shown = 1;

CREATE TRIGGER leaderboard_coins_begun AFTER INSERT ON leaderboard_scores WHEN (new.is_counted AND new.coins > 0) BEGIN
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 1, 0, new.coins / 1, 1 WHERE TRUE
    ON CONFLICT DO UPDATE SET people = people + 1;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 1, 1, new.coins / 256, 1 WHERE TRUE
    ON CONFLICT DO UPDATE SET people = people + 1;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 1, 2, new.coins / 65536, 1 WHERE TRUE
    ON CONFLICT DO UPDATE SET people = people + 1;
END;

CREATE TRIGGER leaderboard_coins_changed AFTER UPDATE OF coins, is_counted ON leaderboard_scores
WHEN (old.is_counted OR new.is_counted) AND (old.coins <> new.coins OR old.is_counted <> new.is_counted) BEGIN
  UPDATE leaderboard_counts SET people = people - 1 WHERE period = old.period AND metric = 1 AND level = 0 AND bucket = old.coins / 1 AND (old.is_counted AND old.coins > 0) AND NOT ((old.is_counted AND old.coins > 0) AND (new.is_counted AND new.coins > 0) AND old.coins / 1 = new.coins / 1);
  DELETE FROM leaderboard_counts WHERE period = old.period AND metric = 1 AND level = 0 AND bucket = old.coins / 1 AND people = 0;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 1, 0, new.coins / 1, 1 WHERE (new.is_counted AND new.coins > 0) AND NOT ((old.is_counted AND old.coins > 0) AND (new.is_counted AND new.coins > 0) AND old.coins / 1 = new.coins / 1)
    ON CONFLICT DO UPDATE SET people = people + 1;
  UPDATE leaderboard_counts SET people = people - 1 WHERE period = old.period AND metric = 1 AND level = 1 AND bucket = old.coins / 256 AND (old.is_counted AND old.coins > 0) AND NOT ((old.is_counted AND old.coins > 0) AND (new.is_counted AND new.coins > 0) AND old.coins / 256 = new.coins / 256);
  DELETE FROM leaderboard_counts WHERE period = old.period AND metric = 1 AND level = 1 AND bucket = old.coins / 256 AND people = 0;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 1, 1, new.coins / 256, 1 WHERE (new.is_counted AND new.coins > 0) AND NOT ((old.is_counted AND old.coins > 0) AND (new.is_counted AND new.coins > 0) AND old.coins / 256 = new.coins / 256)
    ON CONFLICT DO UPDATE SET people = people + 1;
  UPDATE leaderboard_counts SET people = people - 1 WHERE period = old.period AND metric = 1 AND level = 2 AND bucket = old.coins / 65536 AND (old.is_counted AND old.coins > 0) AND NOT ((old.is_counted AND old.coins > 0) AND (new.is_counted AND new.coins > 0) AND old.coins / 65536 = new.coins / 65536);
  DELETE FROM leaderboard_counts WHERE period = old.period AND metric = 1 AND level = 2 AND bucket = old.coins / 65536 AND people = 0;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 1, 2, new.coins / 65536, 1 WHERE (new.is_counted AND new.coins > 0) AND NOT ((old.is_counted AND old.coins > 0) AND (new.is_counted AND new.coins > 0) AND old.coins / 65536 = new.coins / 65536)
    ON CONFLICT DO UPDATE SET people = people + 1;
END;

CREATE TRIGGER leaderboard_steps_begun AFTER INSERT ON leaderboard_scores WHEN (new.is_counted AND new.steps > 0) BEGIN
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 0, 0, new.steps / 1, 1 WHERE TRUE
    ON CONFLICT DO UPDATE SET people = people + 1;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 0, 1, new.steps / 256, 1 WHERE TRUE
    ON CONFLICT DO UPDATE SET people = people + 1;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 0, 2, new.steps / 65536, 1 WHERE TRUE
    ON CONFLICT DO UPDATE SET people = people + 1;
END;

CREATE TRIGGER leaderboard_steps_changed AFTER UPDATE OF steps, is_counted ON leaderboard_scores
WHEN (old.is_counted OR new.is_counted) AND (old.steps <> new.steps OR old.is_counted <> new.is_counted) BEGIN
  UPDATE leaderboard_counts SET people = people - 1 WHERE period = old.period AND metric = 0 AND level = 0 AND bucket = old.steps / 1 AND (old.is_counted AND old.steps > 0) AND NOT ((old.is_counted AND old.steps > 0) AND (new.is_counted AND new.steps > 0) AND old.steps / 1 = new.steps / 1);
  DELETE FROM leaderboard_counts WHERE period = old.period AND metric = 0 AND level = 0 AND bucket = old.steps / 1 AND people = 0;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 0, 0, new.steps / 1, 1 WHERE (new.is_counted AND new.steps > 0) AND NOT ((old.is_counted AND old.steps > 0) AND (new.is_counted AND new.steps > 0) AND old.steps / 1 = new.steps / 1)
    ON CONFLICT DO UPDATE SET people = people + 1;
  UPDATE leaderboard_counts SET people = people - 1 WHERE period = old.period AND metric = 0 AND level = 1 AND bucket = old.steps / 256 AND (old.is_counted AND old.steps > 0) AND NOT ((old.is_counted AND old.steps > 0) AND (new.is_counted AND new.steps > 0) AND old.steps / 256 = new.steps / 256);
  DELETE FROM leaderboard_counts WHERE period = old.period AND metric = 0 AND level = 1 AND bucket = old.steps / 256 AND people = 0;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 0, 1, new.steps / 256, 1 WHERE (new.is_counted AND new.steps > 0) AND NOT ((old.is_counted AND old.steps > 0) AND (new.is_counted AND new.steps > 0) AND old.steps / 256 = new.steps / 256)
    ON CONFLICT DO UPDATE SET people = people + 1;
  UPDATE leaderboard_counts SET people = people - 1 WHERE period = old.period AND metric = 0 AND level = 2 AND bucket = old.steps / 65536 AND (old.is_counted AND old.steps > 0) AND NOT ((old.is_counted AND old.steps > 0) AND (new.is_counted AND new.steps > 0) AND old.steps / 65536 = new.steps / 65536);
  DELETE FROM leaderboard_counts WHERE period = old.period AND metric = 0 AND level = 2 AND bucket = old.steps / 65536 AND people = 0;
  INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
    SELECT new.period, 0, 2, new.steps / 65536, 1 WHERE (new.is_counted AND new.steps > 0) AND NOT ((old.is_counted AND old.steps > 0) AND (new.is_counted AND new.steps > 0) AND old.steps / 65536 = new.steps / 65536)
    ON CONFLICT DO UPDATE SET people = people + 1;
END;

CREATE TABLE ledger_accounts (
  ledger_account_id INTEGER NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind <> ''),
  account_id BLOB UNIQUE CHECK (length(account_id) = 16),
  balance INTEGER NOT NULL DEFAULT 0,
  last_transfer_id BLOB, erased_at INTEGER,
  CHECK ((kind = 'person') = (account_id IS NOT NULL)),
  CHECK (kind <> 'person' OR balance >= 0)
) STRICT;

CREATE UNIQUE INDEX ledger_accounts_of_the_house ON ledger_accounts (kind) WHERE account_id IS NULL;

CREATE TRIGGER ledger_accounts_are_not_deleted BEFORE DELETE ON ledger_accounts
BEGIN SELECT RAISE(ABORT, 'a ledger account is never deleted'); END;

CREATE TRIGGER ledger_accounts_begin_empty BEFORE INSERT ON ledger_accounts
WHEN NEW.balance <> 0 OR EXISTS (
  SELECT 1 FROM ledger_accounts WHERE ledger_account_id = NEW.ledger_account_id OR account_id = NEW.account_id)
BEGIN SELECT RAISE(ABORT, 'a ledger account begins empty, once'); END;

CREATE TRIGGER ledger_accounts_move_by_transfer BEFORE UPDATE ON ledger_accounts
WHEN (NEW.ledger_account_id <> OLD.ledger_account_id OR NEW.kind <> OLD.kind OR NEW.account_id IS NOT OLD.account_id
  OR NEW.erased_at IS NOT OLD.erased_at OR NEW.last_transfer_id IS OLD.last_transfer_id OR NOT EXISTS (
    SELECT 1 FROM transfers WHERE transfer_id = NEW.last_transfer_id AND (
      debit_id = OLD.ledger_account_id AND NEW.balance = OLD.balance - coins
      OR credit_id = OLD.ledger_account_id AND NEW.balance = OLD.balance + coins)))
  -- An erasure: another id, for ever, and nothing else.
  AND NOT (OLD.kind = 'person' AND OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL
    AND NEW.account_id IS NOT OLD.account_id AND NEW.ledger_account_id = OLD.ledger_account_id AND NEW.kind = OLD.kind
    AND NEW.balance = OLD.balance AND NEW.last_transfer_id IS OLD.last_transfer_id)
BEGIN SELECT RAISE(ABORT, 'a balance moves only by a transfer'); END;

CREATE TABLE ledger_checks (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  -- the last one, in days
  night INTEGER NOT NULL
) STRICT;

CREATE TABLE lot_moves (
  number INTEGER NOT NULL REFERENCES transfers,
  lot_id INTEGER NOT NULL REFERENCES coin_lots,
  -- positive came into the lot, negative left it
  coins INTEGER NOT NULL CHECK (coins <> 0),
  PRIMARY KEY (number, lot_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX lot_moves_by_lot ON lot_moves (lot_id, number);

CREATE TRIGGER lot_moves_are_not_changed BEFORE UPDATE ON lot_moves
BEGIN SELECT RAISE(ABORT, 'what a transfer moved is never changed'); END;

CREATE TRIGGER lot_moves_are_not_deleted BEFORE DELETE ON lot_moves
BEGIN SELECT RAISE(ABORT, 'what a transfer moved is never deleted'); END;

CREATE TRIGGER lot_moves_are_of_the_last_transfer BEFORE INSERT ON lot_moves
WHEN NEW.number IS NOT (SELECT max(number) FROM transfers)
  OR EXISTS (SELECT 1 FROM lot_moves WHERE number = NEW.number AND lot_id = NEW.lot_id)
BEGIN SELECT RAISE(ABORT, 'a transfer moves a lot once, when it is made'); END;

CREATE TRIGGER lot_moves_move_coins AFTER INSERT ON lot_moves
BEGIN UPDATE coin_lots SET rest = rest + NEW.coins, last_number = NEW.number WHERE lot_id = NEW.lot_id; END;

CREATE TABLE offer_figures (
  offer_id BLOB NOT NULL REFERENCES offers (offer_id),
  day INTEGER NOT NULL,
  views INTEGER NOT NULL DEFAULT 0,
  redemptions INTEGER NOT NULL DEFAULT 0,
  uses INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (offer_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE offer_pictures (
  offer_id BLOB NOT NULL PRIMARY KEY REFERENCES offers (offer_id),
  media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288)
) STRICT;

CREATE TABLE offer_places (
  place_number INTEGER NOT NULL REFERENCES partner_places (place_number) ON DELETE CASCADE,
  offer_id BLOB NOT NULL REFERENCES offers (offer_id),
  PRIMARY KEY (place_number, offer_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX offer_places_by_offer ON offer_places (offer_id, place_number);

CREATE TABLE offer_viewers (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  day INTEGER NOT NULL,
  offer_id BLOB NOT NULL REFERENCES offers (offer_id),
  PRIMARY KEY (account_id, day, offer_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX offer_viewers_by_day ON offer_viewers (day);

CREATE TABLE offers (
  offer_id BLOB NOT NULL PRIMARY KEY CHECK (length(offer_id) = 16),
  title TEXT NOT NULL CHECK (title <> ''),
  reward TEXT NOT NULL CHECK (reward <> ''),
  partner_name TEXT NOT NULL CHECK (partner_name <> ''),
  cost_coins INTEGER NOT NULL CHECK (cost_coins >= 1),
  stock INTEGER NOT NULL CHECK (stock >= 1),
  remaining INTEGER NOT NULL CHECK (remaining BETWEEN 0 AND stock),
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL CHECK (valid_until > valid_from)
, partner_id BLOB REFERENCES partners (partner_id), terms TEXT, category TEXT, limit_in_all INTEGER CHECK (limit_in_all >= 1), limit_per_day INTEGER CHECK (limit_per_day >= 1), code_valid_days INTEGER CHECK (code_valid_days >= 1), state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paused', 'withdrawn')), is_listed INTEGER NOT NULL DEFAULT 1 CHECK (is_listed IN (0, 1)), is_everywhere INTEGER NOT NULL DEFAULT 1 CHECK (is_everywhere IN (0, 1)), created_at INTEGER NOT NULL DEFAULT 0, picture_tag TEXT CHECK (length(picture_tag) = 32), search_text TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;

CREATE INDEX offers_by_age ON offers (created_at, offer_id) WHERE is_listed;

CREATE INDEX offers_by_cost ON offers (cost_coins, offer_id) WHERE is_listed;

CREATE INDEX offers_by_end ON offers (valid_until, offer_id) WHERE is_listed;

CREATE INDEX offers_of_partner ON offers (partner_id, created_at, offer_id) WHERE partner_id IS NOT NULL;

CREATE TABLE partner_alerts (
  partner_id BLOB NOT NULL PRIMARY KEY REFERENCES partners (partner_id),
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE partner_logos (
  partner_id BLOB NOT NULL PRIMARY KEY REFERENCES partners (partner_id),
  media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288)
) STRICT;

CREATE TABLE partner_members (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  partner_id BLOB NOT NULL REFERENCES partners (partner_id),
  role TEXT NOT NULL CHECK (role IN ('owner', 'clerk')),
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX partner_members_by_partner ON partner_members (partner_id, since);

CREATE VIRTUAL TABLE partner_place_areas USING rtree(place_number, min_x, max_x, min_y, max_y, min_z, max_z);

CREATE TABLE partner_places (
  place_number INTEGER NOT NULL PRIMARY KEY,
  place_id BLOB NOT NULL UNIQUE CHECK (length(place_id) = 16),
  partner_id BLOB NOT NULL REFERENCES partners (partner_id),
  address TEXT NOT NULL CHECK (address <> ''),
  latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
  longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
  -- The same on a sphere of radius 1.
  x REAL NOT NULL,
  y REAL NOT NULL,
  z REAL NOT NULL
) STRICT;

CREATE INDEX partner_places_by_partner ON partner_places (partner_id, place_number);

CREATE TRIGGER partner_place_areas_added AFTER INSERT ON partner_places BEGIN
  INSERT INTO partner_place_areas VALUES (new.place_number, new.x, new.x, new.y, new.y, new.z, new.z);
END;

CREATE TRIGGER partner_place_areas_changed AFTER UPDATE OF x, y, z ON partner_places BEGIN
  UPDATE partner_place_areas SET min_x = new.x, max_x = new.x, min_y = new.y, max_y = new.y, min_z = new.z, max_z = new.z
    WHERE place_number = new.place_number;
END;

CREATE TRIGGER partner_place_areas_removed AFTER DELETE ON partner_places BEGIN
  DELETE FROM partner_place_areas WHERE place_number = old.place_number;
END;

CREATE TABLE partners (
  partner_id BLOB NOT NULL PRIMARY KEY CHECK (length(partner_id) = 16),
  name TEXT NOT NULL CHECK (name <> ''),
  about TEXT NOT NULL CHECK (about <> ''),
  -- For administrators; empty once nobody belongs to the partner any more.
  contact TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'refused', 'suspended')),
  reason TEXT,
  -- Whether no owner is left who is neither deleted nor suspended.
  is_without_owner INTEGER NOT NULL DEFAULT 0 CHECK (is_without_owner IN (0, 1)),
  logo_tag TEXT CHECK (length(logo_tag) = 32),
  registered_at INTEGER NOT NULL,
  decided_at INTEGER,
  -- When the wrong codes that its people have given are forgotten; see WrongCodeRules.
  wrong_codes_until INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX partners_by_state ON partners (state, partner_id);

CREATE INDEX partners_without_owner ON partners (partner_id) WHERE is_without_owner;

CREATE TABLE redemptions (
  redemption_id BLOB NOT NULL PRIMARY KEY CHECK (length(redemption_id) = 16),
  -- Null once the account is erased.
  account_id BLOB CHECK (length(account_id) = 16),
  offer_id BLOB NOT NULL REFERENCES offers (offer_id),
  -- The offer's then; null of an operator's own.
  partner_id BLOB REFERENCES partners (partner_id),
  transfer_id BLOB NOT NULL UNIQUE REFERENCES transfers (transfer_id),
  -- The offer's words when it was redeemed.
  title TEXT NOT NULL,
  reward TEXT NOT NULL,
  terms TEXT,
  partner_name TEXT NOT NULL,
  coins INTEGER NOT NULL CHECK (coins >= 1),
  redeemed_at INTEGER NOT NULL,
  -- The account's day then.
  day INTEGER NOT NULL,
  -- Null where the code does not end.
  usable_until INTEGER,
  -- Keyed; null once nobody is to find it any more.
  code_hash BLOB UNIQUE CHECK (length(code_hash) = 32),
  sealed_code BLOB,
  state TEXT NOT NULL CHECK (state IN ('open', 'used', 'voided')),
  used_at INTEGER,
  voided_at INTEGER,
  void_reason TEXT,
  refund_id BLOB UNIQUE REFERENCES transfers (transfer_id),
  CHECK ((state = 'used') = (used_at IS NOT NULL)),
  CHECK ((state = 'voided') = (voided_at IS NOT NULL AND refund_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX redemptions_by_account ON redemptions (account_id, redemption_id) WHERE account_id IS NOT NULL;

CREATE INDEX redemptions_by_account_and_offer ON redemptions (account_id, offer_id, day) WHERE account_id IS NOT NULL;

CREATE INDEX redemptions_by_key ON redemptions (substr(sealed_code, 1, 6)) WHERE sealed_code IS NOT NULL;

CREATE INDEX redemptions_by_offer ON redemptions (offer_id);

CREATE INDEX redemptions_by_partner ON redemptions (partner_id, redemption_id) WHERE partner_id IS NOT NULL;

CREATE TABLE relations (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  other_account_id BLOB NOT NULL CHECK (length(other_account_id) = 16),
  is_friend INTEGER NOT NULL CHECK (is_friend IN (0, 1)),
  -- whether one of the two has blocked the other
  is_apart INTEGER NOT NULL CHECK (is_apart IN (0, 1)),
  -- One of which nothing is left stays, so that what arrives late of it has no effect.
  revision INTEGER NOT NULL, were_friends INTEGER NOT NULL DEFAULT 0 CHECK (were_friends IN (0, 1)),
  PRIMARY KEY (account_id, other_account_id),
  CHECK (account_id <> other_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX relations_apart ON relations (account_id, other_account_id) WHERE is_apart = 1;

CREATE INDEX relations_by_other_account ON relations (other_account_id);

CREATE INDEX relations_of_friends ON relations (account_id, other_account_id) WHERE is_friend = 1 AND is_apart = 0;

CREATE INDEX relations_of_parted_friends ON relations (account_id, other_account_id) WHERE were_friends = 1;

CREATE TABLE suspension_ends (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX suspension_ends_by_time ON suspension_ends (ends_at);

CREATE TABLE team_members (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  -- the last one that it was in
  team_id BLOB NOT NULL CHECK (length(team_id) = 16),
  -- A membership that ended stays, so that an event of it that comes late has no effect.
  is_member INTEGER NOT NULL CHECK (is_member IN (0, 1)),
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX team_members_by_team ON team_members (team_id) WHERE is_member = 1;

CREATE TABLE "transfers" (
  -- 1, 2, 3, …
  number INTEGER NOT NULL PRIMARY KEY,
  transfer_id BLOB NOT NULL UNIQUE CHECK (length(transfer_id) = 16),
  kind TEXT NOT NULL CHECK (kind <> ''),
  debit_id INTEGER NOT NULL REFERENCES ledger_accounts,
  credit_id INTEGER NOT NULL REFERENCES ledger_accounts,
  coins INTEGER NOT NULL CHECK (coins > 0),
  -- what must not be booked twice: a second transfer of it is refused
  reference TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  -- what it is for: 'day', 'days', 'redemption', 'challenge' or 'reason', and what belongs to that
  cause TEXT NOT NULL CHECK (cause <> ''),
  day INTEGER CHECK ((cause = 'day') = (day IS NOT NULL)),
  subject TEXT,
  title TEXT,
  spanish_title TEXT,
  CHECK (debit_id <> credit_id)
) STRICT;

CREATE INDEX transfers_by_credit ON transfers (credit_id, number);

CREATE INDEX transfers_by_debit ON transfers (debit_id, number);

CREATE INDEX transfers_explained_by_credit ON transfers (credit_id, cause) WHERE cause = 'reason' AND title IS NOT NULL;

CREATE INDEX transfers_explained_by_debit ON transfers (debit_id, cause) WHERE cause = 'reason' AND title IS NOT NULL;

CREATE TRIGGER transfers_are_not_changed BEFORE UPDATE ON transfers
-- An erasure: an administrator's words about a person, and nothing else.
WHEN NOT (OLD.cause = 'reason' AND NEW.title IS NULL AND NEW.number = OLD.number AND NEW.transfer_id = OLD.transfer_id
  AND NEW.kind = OLD.kind AND NEW.debit_id = OLD.debit_id AND NEW.credit_id = OLD.credit_id AND NEW.coins = OLD.coins
  AND NEW.reference = OLD.reference AND NEW.at = OLD.at AND NEW.cause = OLD.cause AND NEW.day IS OLD.day
  AND NEW.subject IS OLD.subject AND NEW.spanish_title IS OLD.spanish_title)
BEGIN SELECT RAISE(ABORT, 'a transfer is never changed'); END;

CREATE TRIGGER transfers_are_not_deleted BEFORE DELETE ON transfers
BEGIN SELECT RAISE(ABORT, 'a transfer is never deleted'); END;

CREATE TRIGGER transfers_are_not_replaced BEFORE INSERT ON transfers
WHEN EXISTS (SELECT 1 FROM transfers WHERE transfer_id = NEW.transfer_id OR reference = NEW.reference)
BEGIN SELECT RAISE(ABORT, 'this transfer was made before'); END;

CREATE TRIGGER transfers_are_numbered_without_gaps BEFORE INSERT ON transfers
WHEN NEW.number <> coalesce((SELECT max(number) FROM transfers), 0) + 1
BEGIN SELECT RAISE(ABORT, 'a transfer has the next number'); END;

CREATE TRIGGER transfers_move_coins AFTER INSERT ON transfers
BEGIN
  UPDATE ledger_accounts SET balance = balance - NEW.coins, last_transfer_id = NEW.transfer_id
  WHERE ledger_account_id = NEW.debit_id;
  UPDATE ledger_accounts SET balance = balance + NEW.coins, last_transfer_id = NEW.transfer_id
  WHERE ledger_account_id = NEW.credit_id;
END;

CREATE TABLE waiting_days (
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  day INTEGER NOT NULL,
  recorded_day INTEGER NOT NULL,
  earning_steps INTEGER NOT NULL CHECK (earning_steps >= 0),
  revision INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, recorded_day)
) STRICT, WITHOUT ROWID;
