import ActivityContract
import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// The scores of each account: one row for all time, and one for each month with a score.
///
/// Triggers count how many people have a score, in the transaction that changes it, so that a rank is the sum of at most a few hundred
/// rows.
enum LeaderboardStore {
  // MARK: - Scores

  /// Counts an account's days as they stand now, and the coins that were moved for them. Days count by their latest state, so that repeated
  /// and outdated events change nothing.
  ///
  /// - Parameters:
  ///   - event: only days that came in time, all within `days`.
  ///   - coins: what the transfers for these days add to scores.
  static func count(
    _ event: MovementDaysChanged, _ days: ClosedRange<LocalDay>, _ coins: ScoreChanges, _ database: Database
  ) throws {
    var kept = try CountedDayStore.read(days, of: event.accountID, from: "leaderboard_days", in: database)
    var changes: [Int: Int] = [:]
    for day in event.days {
      changes[LeaderboardRules.month(of: day.day), default: 0] += try keep(
        day, instead: &kept[day.day], of: event.accountID, in: database)
    }
    var scores = coins
    for (month, change) in changes where change != 0 { scores.add(steps: change, to: month) }
    try add(scores, of: event.accountID, in: database)
  }

  /// Stores a day unless a newer state of it is already stored.
  ///
  /// - Returns: by how much its steps changed.
  private static func keep(
    _ day: MovementDaysChanged.Day, instead kept: inout CountedDay?, of account: AccountID, in database: Database
  ) throws -> Int {
    if let kept, kept.revision >= day.revision { return 0 }
    try database.run(
      """
      INSERT INTO leaderboard_days (account_id, day, steps, revision) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET steps = excluded.steps, revision = excluded.revision
      """, .id(account), .day(day.day), .number(day.earningSteps), .number(day.revision))
    defer { kept = CountedDay(steps: day.earningSteps, revision: day.revision) }
    return day.earningSteps - (kept?.steps ?? 0)
  }

  /// Counts coins of a challenge, negative if taken back, in the month of its completion. Coins for steps are counted with their days;
  /// other coins were not earned.
  ///
  /// - Parameter day: the day on which the coins were credited.
  static func count(_ coins: Int, of account: AccountID, earnedOn day: LocalDay, in database: Database) throws {
    var scores = ScoreChanges()
    scores.add(coins: coins, to: LeaderboardRules.month(of: day))
    try add(scores, of: account, in: database)
  }

  /// Adds changes, which may be negative, to scores.
  private static func add(_ changes: ScoreChanges, of account: AccountID, in database: Database) throws {
    for (period, change) in changes.byPeriod {
      let (steps, coins) = (Bound.number(change.steps), Bound.number(change.coins))
      try database.run(
        "UPDATE leaderboard_scores SET steps = steps + ?, coins = coins + ? WHERE account_id = ? AND period = ?", steps, coins,
        .id(account), .number(period))
      guard database.changesCount == 0 else { continue }
      try database.run(
        """
        INSERT INTO leaderboard_scores (account_id, period, steps, coins, is_shown, is_counted)
        SELECT ?1, ?2, ?3, ?4, is_shown, is_shown
        FROM (SELECT ifnull((SELECT is_shown FROM leaderboard_people WHERE account_id = ?1), 0) AS is_shown)
        """, .id(account), .number(period), steps, coins)
    }
  }

  static func score(
    of account: AccountID, by metric: LeaderboardMetric, in period: Int, _ database: Database
  ) throws -> Int {
    let found = try database.first(
      "SELECT \(metric.column) FROM leaderboard_scores WHERE account_id = ? AND period = ?", .id(account), .number(period)
    ) { $0.number(0) }
    return max(0, found ?? 0)
  }

  // MARK: - Who is shown

  /// Whether the account chose to be visible.
  static func isVisible(_ account: AccountID, in database: Database) throws -> Bool {
    try database.first("SELECT is_seen FROM leaderboard_people WHERE account_id = ?", .id(account)) { $0.truth(0) } ?? false
  }

  /// Whether others see the account on leaderboards now.
  static func isShown(_ account: AccountID, in database: Database) throws -> Bool {
    try database.first("SELECT is_shown FROM leaderboard_people WHERE account_id = ?", .id(account)) { $0.truth(0) } ?? false
  }

  /// Stores whether the account chose to be visible.
  static func choose(
    isVisible: Bool, _ account: AccountID, earningDays: Int, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      """
      INSERT INTO leaderboard_people (account_id, is_seen, is_shown) VALUES (?1, ?2, 0)
      ON CONFLICT DO UPDATE SET is_seen = excluded.is_seen, is_shown = min(is_shown, excluded.is_seen)
      """, .id(account), .truth(isVisible))
    try setShown(
      isVisible && EligibilityStore.find(account, at: transaction.now, in: transaction.database).isShown, account,
      earningDays: earningDays, transaction)
  }

  /// Shows or hides the rows of an account that has changed.
  static func follow(_ account: AccountID, earningDays: Int, _ transaction: Transaction) throws {
    let known = try transaction.database.first(
      "SELECT is_seen, is_shown FROM leaderboard_people WHERE account_id = ?", .id(account)
    ) { (isVisible: $0.truth(0), isShown: $0.truth(1)) }
    guard let known, known.isVisible else { return }
    let isShown = try EligibilityStore.find(account, at: transaction.now, in: transaction.database).isShown
    if isShown != known.isShown { try setShown(isShown, account, earningDays: earningDays, transaction) }
  }

  /// Shows or hides all rows of an account. Shown rows are counted except in months with final ranks; hidden ones are uncounted except in
  /// months that are over; see ``LeaderboardMonths``.
  private static func setShown(
    _ isShown: Bool, _ account: AccountID, earningDays: Int, _ transaction: Transaction
  ) throws {
    let months = LeaderboardMonths(at: transaction.now, earningDays: earningDays)
    try transaction.database.run(
      "UPDATE leaderboard_people SET is_shown = ? WHERE account_id = ?", .truth(isShown), .id(account))
    try transaction.database.run(
      """
      UPDATE leaderboard_scores
      SET is_shown = ?2, is_counted = iif(period = \(LeaderboardRules.allTime) OR period >= ?3, ?2, is_counted)
      WHERE account_id = ?1
      """, .id(account), .truth(isShown), .number(isShown ? months.firstMoving : months.firstRunning))
  }

  // MARK: - Erasure

  /// Stops counting an account that is erased, except in months that are over, where it leaves its rank empty.
  static let uncounting = """
    UPDATE leaderboard_scores SET is_counted = 0 WHERE account_id = :account AND is_counted = 1 AND (
      period = \(LeaderboardRules.allTime)
      OR period >= CAST(strftime('%Y%m', (:now - \(LeaderboardMonths.lastEnd)) / 1000, 'unixepoch') AS INTEGER))
    """
  static let deleting = "DELETE FROM leaderboard_scores WHERE account_id = :account"

  // MARK: - Ranks

  /// How many people have a score within a range.
  static func people(
    with scores: Range<Int>, by metric: LeaderboardMetric, in period: Int, _ database: Database
  ) throws -> Int {
    try LeaderboardRules.buckets(of: scores).reduce(0) { sum, buckets in
      let found = try database.first(
        countSQL, .number(period), .number(metric.number), .number(buckets.level), .number(buckets.range.lowerBound),
        .number(buckets.range.upperBound)
      ) { $0.number(0) }
      return sum + (found ?? 0)
    }
  }

  static let countSQL = """
    SELECT ifnull(sum(people), 0) FROM leaderboard_counts
    WHERE period = ? AND metric = ? AND level = ? AND bucket >= ? AND bucket < ?
    """
}
