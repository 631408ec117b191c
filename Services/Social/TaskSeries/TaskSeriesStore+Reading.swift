import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

extension TaskSeriesStore {
  /// Series in which the account `:account` takes part, to be narrowed down.
  private static let selection = """
    SELECT s.*, a.account_id AS creator_id, \(ShownPersonStore.columns(for: ":account"))
    FROM task_series_participants p JOIN task_series s ON s.series_id = p.series_id
    LEFT JOIN accounts a ON a.account_id = s.creator_account
    WHERE p.account_id = :account AND NOT \(TeamLeaveStore.hasLeftSeries)
    """

  /// A series as one of its participants sees it; for others it does not exist.
  static func view(_ id: ID<TaskSeries>, for account: AccountID, in database: Database) throws -> TaskSeries {
    let statement = try database.cachedStatement(sql: "\(selection) AND p.series_id = :series")
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "series": id]) else {
      throw Failure(RequestFailure.notFound)
    }
    return try series(row, for: account, in: database)
  }

  /// How a page is found: by a walk along an index from the newest on.
  static let listSQL = "\(selection) AND p.series_sequence < :before ORDER BY p.series_sequence DESC LIMIT :limit"

  /// The account's series, newest first.
  static func list(for account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<TaskSeries> {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: listSQL),
      arguments: ["account": account, "before": page.before, "limit": page.fetchLimit])
    return try page.page(
      of: rows, key: { $0["sequence"] as Int64 }, item: { try series($0, for: account, in: database) })
  }

  private static func series(_ row: Row, for account: AccountID, in database: Database) throws -> TaskSeries {
    let stored = Stored(row)
    let statement = try database.cachedStatement(
      sql: """
        SELECT p.account_id, \(ShownPersonStore.columns(for: ":account"))
        FROM task_series_participants p JOIN task_series s ON s.series_id = p.series_id
        JOIN accounts a ON a.account_id = p.account_id
        WHERE p.series_id = :series AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = p.account_id)
          AND NOT \(TeamLeaveStore.hasLeftSeries)
        ORDER BY p.position
        """)
    let participants = try Row.fetchAll(statement, arguments: ["account": account, "series": stored.id])
      .compactMap { TaskPerson($0, "account_id") }
    return TaskSeries(
      id: stored.id, name: stored.terms.text.name, description: stored.terms.text.description,
      schedule: stored.terms.planned.schedule, startDay: stored.startDay, endDay: stored.terms.endDay,
      state: stored.nextDay == nil ? .ended : .active, nextDay: stored.nextDay,
      creator: TaskPerson(row, "creator_id"),
      isCreator: stored.creator == account, participants: participants, createdAt: row["created_at"], teamID: stored.team)
  }
}
