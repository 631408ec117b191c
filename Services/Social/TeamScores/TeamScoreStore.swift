import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The scores of teams: a row for each team for all time, and one for each month in which the team has scored.
///
/// Triggers count how many teams have a score, so a rank is a sum over an index.
enum TeamScoreStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "team scores") { try $0.execute(sql: schema + counting) }
  }

  private static let schema = """
    CREATE TABLE team_scores (
      team_id BLOB NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
      -- 0 for all time, 202611 for November 2026 in UTC
      period INTEGER NOT NULL,
      score INTEGER NOT NULL CHECK (score >= 0),
      PRIMARY KEY (team_id, period),
      CHECK (period = 0 OR score > 0)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX team_scores_best ON team_scores (period, score, team_id);
    CREATE TRIGGER team_scores_begun AFTER INSERT ON teams BEGIN
      INSERT INTO team_scores (team_id, period, score) VALUES (new.team_id, 0, 0);
    END;
    -- Which completion counts for which team: an account's of a task once, for the team that it was in. A team that has ended may be named
    -- still, so that its end does not take longer the more was done in it.
    CREATE TABLE team_points (
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      task_id BLOB NOT NULL CHECK (length(task_id) = 16),
      team_id BLOB NOT NULL CHECK (length(team_id) = 16),
      period INTEGER NOT NULL CHECK (period > 0),
      PRIMARY KEY (account_id, task_id)
    ) STRICT, WITHOUT ROWID;

    """

  /// A trigger's statements that count a team or stop counting it.
  private static func count(_ row: String, _ change: String) -> String {
    """
      INSERT INTO team_score_counts (period, score, team_count) VALUES (\(row).period, \(row).score, 0)
        ON CONFLICT (period, score) DO NOTHING;
      UPDATE team_score_counts SET team_count = team_count \(change) WHERE period = \(row).period AND score = \(row).score;
      DELETE FROM team_score_counts WHERE period = \(row).period AND score = \(row).score AND team_count = 0;
      INSERT INTO team_score_bands (period, band, team_count)
        VALUES (\(row).period, \(row).score / 256, 0) ON CONFLICT (period, band) DO NOTHING;
      UPDATE team_score_bands SET team_count = team_count \(change)
        WHERE period = \(row).period AND band = \(row).score / 256;
      DELETE FROM team_score_bands
        WHERE period = \(row).period AND band = \(row).score / 256 AND team_count = 0;
    """
  }

  private static let counting = """
    -- The number of teams with a score, and with a score in a band of 256.
    CREATE TABLE team_score_counts (
      period INTEGER NOT NULL,
      score INTEGER NOT NULL,
      team_count INTEGER NOT NULL CHECK (team_count >= 0),
      PRIMARY KEY (period, score)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE team_score_bands (
      period INTEGER NOT NULL,
      band INTEGER NOT NULL,
      team_count INTEGER NOT NULL CHECK (team_count >= 0),
      PRIMARY KEY (period, band)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER team_scores_added AFTER INSERT ON team_scores BEGIN
    \(count("new", "+ 1"))
    END;
    CREATE TRIGGER team_scores_changed AFTER UPDATE OF score ON team_scores BEGIN
    \(count("old", "- 1"))
    \(count("new", "+ 1"))
    END;
    CREATE TRIGGER team_scores_deleted AFTER DELETE ON team_scores BEGIN
    \(count("old", "- 1"))
    END;
    """

  /// Updates scores when the completion of a task changes; see ``TaskCompletionWriter``.
  @Sendable
  static func observe(
    _ task: ID<SharedTask>, _ account: AccountID, _ change: TaskCompletionChange, _ participants: Int, _ transaction: Transaction
  ) throws {
    switch change {
    case .confirmed: try confirmed(task, by: account, participants: participants, transaction)
    case .withdrawn: try withdrawn(task, by: account, transaction)
    }
  }

  /// Counts an account's completion of a task for its team, once; does nothing if it has no team, or is alone in the task.
  ///
  /// - Parameter participants: the number of current participants, including the account.
  static func confirmed(
    _ task: ID<SharedTask>, by account: AccountID, participants: Int, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    guard TeamScoreRules.counts(participants: participants),
      let team = try TeamMemberStore.membership(of: account, in: database)?.team
    else { return }
    let period = TeamScoreRules.period(TeamMonth(transaction.now))
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO team_points (account_id, task_id, team_id, period) VALUES (?, ?, ?, ?)
        ON CONFLICT (account_id, task_id) DO NOTHING
        """)
    try statement.execute(arguments: [account, task, team, period])
    guard database.changesCount > 0 else { return }
    for period in [0, period] {
      try database.run(
        """
        INSERT INTO team_scores (team_id, period, score) VALUES (?, ?, 1)
        ON CONFLICT (team_id, period) DO UPDATE SET score = score + 1
        """, .id(team), .number(period))
    }
  }

  /// Takes a task's completions off the scores if too few participants are left for any to count.
  static func recount(_ task: ID<SharedTask>, _ transaction: Transaction) throws {
    let participants = try TaskParticipantStore.counts(of: task, in: transaction.database).participants
    guard !TeamScoreRules.counts(participants: participants) else { return }
    for account in try TaskParticipantStore.confirmedAccounts(of: task, in: transaction.database) {
      try withdrawn(task, by: account, transaction)
    }
  }

  /// Takes an account's completion of a task off the score of the team that it was counted for, even if the account has left the team
  /// since; does nothing if it was not counted.
  static func withdrawn(_ task: ID<SharedTask>, by account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    let point: (team: ID<Team>, period: Int)? = try database.first(
      "SELECT team_id, period FROM team_points WHERE account_id = ? AND task_id = ?", .id(account), .id(task)
    ) { (team: try $0.id(0), period: $0.number(1)) }
    guard let point else { return }
    try database.run("DELETE FROM team_points WHERE account_id = ? AND task_id = ?", .id(account), .id(task))
    try database.run("UPDATE team_scores SET score = score - 1 WHERE team_id = ? AND period = 0", .id(point.team))
    try database.run(
      "DELETE FROM team_scores WHERE team_id = ? AND period = ? AND score = 1", .id(point.team), .number(point.period))
    try database.run(
      "UPDATE team_scores SET score = score - 1 WHERE team_id = ? AND period = ?", .id(point.team), .number(point.period))
  }
}
