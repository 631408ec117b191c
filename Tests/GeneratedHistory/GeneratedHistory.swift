public import ActivityContract
import ActivityService
public import GRDB
public import Operations
import Storage

/// A history as large as one likes, the same each time: an entry of each activity on each of the last days, each with a comment and a
/// place.
///
/// Comments are three words out of 22; the oldest comment of the first activity is like no other. All places are within 5 km of
/// ``home`` but one in a thousand, which is within 5 km of ``away``.
///
/// It is written into activity's store by SQL, and the store's own triggers keep its indexes: a million entries sent as requests would
/// take an hour.
public struct GeneratedHistory: Sendable {
  /// Near which nearly all is.
  public static let home = EntryLocation(latitude: 40.4, longitude: -3.7)
  /// Near which little is.
  public static let away = EntryLocation(latitude: 45.4, longitude: -3.7)

  /// Whose history.
  public let account: AccountID
  /// Those of the account that have entries.
  public let activities: [ActivityID]
  /// The days that have entries.
  public let days: ClosedRange<LocalDay>

  /// A history of so many days up to the last.
  public init(of account: AccountID, _ activities: [ActivityID], days count: Int, to last: LocalDay) {
    self.account = account
    self.activities = activities
    days = last.advanced(by: 1 - count)...last
  }

  /// How many entries there are.
  public var count: Int { activities.count * days.count }

  private static let words = """
    run walk slow fast rain sun tired good great bad home park gym water book page long short cold warm lago rio
    """

  /// Which days to write in one transaction, one after the other.
  public var parts: [ClosedRange<LocalDay>] {
    stride(from: 0, to: days.count, by: 100).map {
      days.lowerBound.advanced(by: $0)...min(days.upperBound, days.lowerBound.advanced(by: $0 + 99))
    }
  }

  /// Writes what lies in some days, which are written once.
  public func write(_ part: ClosedRange<LocalDay>, in database: Database) throws {
    try database.execute(sql: "CREATE TEMP TABLE word (n INTEGER PRIMARY KEY, text TEXT)")
    try database.execute(sql: "CREATE TEMP TABLE planted (n INTEGER PRIMARY KEY, activity_id BLOB)")
    for (n, word) in GeneratedHistory.words.split(separator: " ").enumerated() {
      try database.execute(sql: "INSERT INTO word VALUES (?, ?)", arguments: [n, String(word)])
    }
    for (n, id) in activities.enumerated() {
      try database.execute(sql: "INSERT INTO planted VALUES (?, ?)", arguments: [n, id])
    }
    let range: StatementArguments = ["first": part.lowerBound, "last": part.upperBound]
    try database.execute(
      sql: """
        WITH RECURSIVE days (day) AS (SELECT :first UNION ALL SELECT day + 1 FROM days WHERE day < :last),
        drawn AS (
          SELECT activity_id, day, abs((day * 7919 + n * 104729) * 2654435761 % 1000003) AS r, day = :oldest AND n = 0 AS is_rare
          FROM days, planted)
        INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, progress_at, comment)
        SELECT activity_id, day, :account, 1, 1, 0, 0, iif(is_rare, 'xylophone', (SELECT text FROM word WHERE n = r % 22) || ' ' ||
          (SELECT text FROM word WHERE n = r / 22 % 22) || ' ' || (SELECT text FROM word WHERE n = r / 484 % 22))
        FROM drawn
        """, arguments: range + ["account": account, "oldest": days.lowerBound])
    try database.execute(
      sql: """
        INSERT INTO history_accounts (account_id)
        SELECT :account WHERE NOT EXISTS (SELECT 1 FROM history_accounts WHERE account_id = :account)
        """, arguments: ["account": account])
    // By keys as `CommentKey` makes them.
    try database.execute(
      sql: """
        INSERT INTO entry_comments (comment_id, activity_id, day, folded)
        SELECT ((account_number << 18 | day) << 21) + n, activity_id, day, comment
        FROM entries JOIN planted USING (activity_id) JOIN history_accounts USING (account_id)
        WHERE day BETWEEN :first AND :last ORDER BY day, n
        """, arguments: range)
    try database.execute(
      sql: """
        INSERT INTO entry_places (account_id, activity_id, day, latitude, longitude)
        SELECT account_id, activity_id, day,
          iif((day * :count + n) % 1000 = 0, :away, :home) + (day * 31 + n * 17) % 1000 / 25000.0 - 0.02,
          :longitude + (day * 37 + n * 13) % 1000 / 25000.0 - 0.02
        FROM entries JOIN planted USING (activity_id) WHERE day BETWEEN :first AND :last ORDER BY day, n
        """,
      arguments: range + [
        "count": activities.count, "away": GeneratedHistory.away.latitude, "home": GeneratedHistory.home.latitude,
        "longitude": GeneratedHistory.home.longitude,
      ])
    try database.execute(sql: "DROP TABLE word; DROP TABLE planted")
    let number = try Int64.fetchOne(
      database, sql: "SELECT account_number FROM history_accounts WHERE account_id = ?", arguments: [account])
    if let number { try EntryCommentBlockStore.tidy(number, in: database) }
  }
}
