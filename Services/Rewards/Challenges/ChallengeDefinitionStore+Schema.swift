import GRDB
import Storage

extension ChallengeDefinitionStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "challenges") { try $0.execute(sql: definitions + facts + completions + BadgeVisibilityStore.table + seed) }
  }

  private static let definitions = """
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
    -- Grows with every change of the definitions, so that copies in memory know when they are outdated.
    CREATE TABLE challenge_stamps (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), stamp BLOB NOT NULL) STRICT;
    INSERT INTO challenge_stamps VALUES (1, randomblob(8));

    """

  private static let facts = """
    -- What counts on each local day; movement as last recorded while it could earn.
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
    -- The sums of all days: one row per account with any data.
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
    -- The days on which an activity's goal was reached: a bit for each of 56 days.
    CREATE TABLE challenge_entries (
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      activity_id BLOB NOT NULL CHECK (length(activity_id) = 16),
      block INTEGER NOT NULL,
      days INTEGER NOT NULL CHECK (days > 0),
      PRIMARY KEY (account_id, activity_id, block)
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

    """

  private static let completions = """
    -- What each transfer was paid for, as long as the transfer exists.
    CREATE TABLE challenge_rewards (
      transfer_id BLOB NOT NULL PRIMARY KEY REFERENCES transfers (transfer_id),
      completion_id BLOB NOT NULL UNIQUE CHECK (length(completion_id) = 16),
      challenge_id BLOB NOT NULL REFERENCES challenges
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
      is_current INTEGER NOT NULL CHECK (is_current IN (0, 1)),
      PRIMARY KEY (account_id, challenge_id, level)
    ) STRICT, WITHOUT ROWID;

    """

  /// Receives all events of activity and social again, because some of the events that count here were ignored before. Events that were not
  /// are ignored by their revisions.
  private static let seed = "DELETE FROM subscription_cursors WHERE publisher IN ('activity', 'social');"
}
