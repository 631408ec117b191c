import GRDB
import RewardsContract
import Storage

extension LeaderboardStore {
  /// The tables, and the triggers that count people by score. Initial scores come from what was counted for coins before; until activity
  /// publishes their days again, these have at most as many steps as could earn coins then.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "leaderboards") { database in
      try database.execute(sql: tables + LeaderboardMetric.allCases.map(counting).joined() + history)
    }
  }

  private static let tables = """
    -- Who chose to be visible, and whether they are shown: not while suspended, nor without consent to activity data.
    CREATE TABLE leaderboard_people (
      account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
      is_seen INTEGER NOT NULL CHECK (is_seen IN (0, 1)),
      is_shown INTEGER NOT NULL CHECK (is_shown IN (0, 1)),
      CHECK (is_shown <= is_seen)
    ) STRICT, WITHOUT ROWID;

    -- The earning steps of each day, by its latest state that arrived in time.
    CREATE TABLE leaderboard_days (
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      day INTEGER NOT NULL,
      steps INTEGER NOT NULL CHECK (steps >= 0),
      revision INTEGER NOT NULL,
      PRIMARY KEY (account_id, day)
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
    CREATE INDEX leaderboard_scores_by_steps ON leaderboard_scores (period, steps, account_id) WHERE is_shown = 1;
    CREATE INDEX leaderboard_scores_by_coins ON leaderboard_scores (period, coins, account_id) WHERE is_shown = 1;

    -- The number of people with a score in a bucket: one per score at level 0, one per 256 buckets of the level before at the others.
    CREATE TABLE leaderboard_counts (
      period INTEGER NOT NULL,
      -- 0 steps, 1 coins
      metric INTEGER NOT NULL CHECK (metric IN (0, 1)),
      level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 2),
      bucket INTEGER NOT NULL,
      people INTEGER NOT NULL CHECK (people >= 0),
      PRIMARY KEY (period, metric, level, bucket)
    ) STRICT, WITHOUT ROWID;

    """

  /// The triggers that count by one metric. No trigger uncounts a deleted row: an account that is erased is uncounted before, except in
  /// months that are over, where it stays counted.
  private static func counting(_ metric: LeaderboardMetric) -> String {
    let (score, number) = (metric.column, metric.number)
    func isCounted(_ row: String) -> String { "(\(row).is_counted AND \(row).\(score) > 0)" }
    func levels(_ statements: (_ level: Int, _ bucket: (String) -> String) -> String) -> String {
      (0..<LeaderboardRules.levels).map { level in
        statements(level) { "\($0).\(score) / \(LeaderboardRules.width(ofLevel: level))" }
      }.joined()
    }
    func enter(_ level: Int, _ bucket: String, where condition: String) -> String {
      """
        INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
          SELECT new.period, \(number), \(level), \(bucket), 1 WHERE \(condition)
          ON CONFLICT DO UPDATE SET people = people + 1;

      """
    }
    return """
      CREATE TRIGGER leaderboard_\(score)_begun AFTER INSERT ON leaderboard_scores WHEN \(isCounted("new")) BEGIN
      \(levels { enter($0, $1("new"), where: "TRUE") })END;
      CREATE TRIGGER leaderboard_\(score)_changed AFTER UPDATE OF \(score), is_counted ON leaderboard_scores
      WHEN (old.is_counted OR new.is_counted) AND (old.\(score) <> new.\(score) OR old.is_counted <> new.is_counted) BEGIN
      \(levels { level, bucket in
        let moves = "NOT (\(isCounted("old")) AND \(isCounted("new")) AND \(bucket("old")) = \(bucket("new")))"
        let row = "period = old.period AND metric = \(number) AND level = \(level) AND bucket = \(bucket("old"))"
        return """
            UPDATE leaderboard_counts SET people = people - 1 WHERE \(row) AND \(isCounted("old")) AND \(moves);
            DELETE FROM leaderboard_counts WHERE \(row) AND people = 0;
          \(enter(level, bucket("new"), where: "\(isCounted("new")) AND \(moves)"))
          """
      })END;

      """
  }

  /// No account has chosen to be visible yet, so none is counted. Transfers without a day count for the month in which they were made, in
  /// UTC.
  private static let history = """
    INSERT INTO leaderboard_days (account_id, day, steps, revision)
    SELECT account_id, day, steps, revision FROM counted_days
    WHERE account_id IN (SELECT account_id FROM ledger_accounts WHERE kind = 'person' AND erased_at IS NULL);
    INSERT INTO leaderboard_scores (account_id, period, steps, is_shown, is_counted)
    SELECT account_id, period, sum(steps), 0, 0 FROM (
      SELECT account_id, CAST(strftime('%Y%m', day * 86400, 'unixepoch') AS INTEGER) AS period, steps FROM leaderboard_days
      UNION ALL
      SELECT account_id, 0, steps FROM leaderboard_days
    ) WHERE steps > 0 GROUP BY account_id, period;
    INSERT INTO leaderboard_scores (account_id, period, coins, is_shown, is_counted)
    WITH moved AS (
      SELECT a.account_id, iif(t.kind = 'earned', t.coins, -t.coins) AS coins,
        CAST(strftime('%Y%m', ifnull(t.day * 86400, t.at / 1000), 'unixepoch') AS INTEGER) AS month
      FROM transfers t JOIN ledger_accounts a ON a.ledger_account_id = iif(t.kind = 'earned', t.credit_id, t.debit_id)
      WHERE t.kind IN ('earned', 'corrected') AND a.kind = 'person' AND a.erased_at IS NULL
    )
    SELECT account_id, period, sum(coins), 0, 0 FROM (
      SELECT account_id, month AS period, coins FROM moved UNION ALL SELECT account_id, 0, coins FROM moved
    ) WHERE TRUE GROUP BY account_id, period
    ON CONFLICT DO UPDATE SET coins = excluded.coins;

    """
}

extension LeaderboardMetric {
  /// The column of `leaderboard_scores`.
  var column: String { rawValue }

  /// The number in `leaderboard_counts`.
  var number: Int { self == .steps ? 0 : 1 }
}
