import ActivityContract
import GRDB
import Operations
import Storage

extension ActivityStore {
  /// The gap between new positions: room for twenty halvings, so that hardly any move rewrites more than one row.
  static let positionStep = 1 << 20

  /// The position after all others of the account.
  static func lastPosition(of account: AccountID, in database: Database) throws -> Int {
    let last = try database.first("SELECT max(position) FROM activities WHERE account_id = ?", .id(account)) { $0.number(0) }
    return (last ?? 0) + positionStep
  }

  /// Moves the account's activity after another one of it, or to the front.
  ///
  /// - Throws: `activity_not_found` for either.
  static func move(_ id: ActivityID, behind other: ActivityID?, of account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    _ = try position(of: id, account, in: database)
    var (before, after) = try gap(behind: other, without: id, of: account, in: database)
    if after - before < 2 {
      try spread(account, in: database)
      (before, after) = try gap(behind: other, without: id, of: account, in: database)
    }
    try database.run("UPDATE activities SET position = ? WHERE activity_id = ?", .number(before + (after - before) / 2), .id(id))
  }

  private static func position(of id: ActivityID, _ account: AccountID, in database: Database) throws -> Int {
    let found = try database.first(
      "SELECT position FROM activities WHERE activity_id = ? AND account_id = ?", .id(id), .id(account)
    ) { $0.number(0) }
    guard let found else { throw ActivityFailure.notFound }
    return found
  }

  /// The two positions between which to place an activity: after the given one, or at the front. Ignores the moved activity itself.
  private static func gap(
    behind other: ActivityID?, without id: ActivityID, of account: AccountID, in database: Database
  ) throws -> (before: Int, after: Int) {
    let before = try other.map { try position(of: $0, account, in: database) }
    let next = try database.first(
      """
      SELECT min(position) FROM activities
      WHERE account_id = ?1 AND activity_id <> ?2 AND (?3 IS NULL OR (position, activity_id) > (?4, ?3))
      """, .id(account), .id(id), other.map(Bound.id) ?? .null, .number(before ?? 0)
    ) { $0.isNull(0) ? nil : $0.number(0) }
    guard let before else {
      // There is always room before the first.
      let first = (next ?? nil) ?? 0
      return (first - 2 * positionStep, first)
    }
    return (before, (next ?? nil) ?? before + 2 * positionStep)
  }

  /// Renumbers the account's activities in their order, with gaps between them.
  private static func spread(_ account: AccountID, in database: Database) throws {
    try database.run(
      """
      UPDATE activities SET position = numbered.number * \(positionStep)
      FROM (SELECT activity_id, row_number() OVER (ORDER BY position, activity_id) AS number FROM activities WHERE account_id = ?1)
        AS numbered
      WHERE activities.activity_id = numbered.activity_id
      """, .id(account))
  }
}
