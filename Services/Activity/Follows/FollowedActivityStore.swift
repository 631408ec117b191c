import ActivityContract
import GRDB
import Operations
import ServiceKit

/// The activities of the accounts that an account follows (ACT-13).
enum FollowedActivityStore {
  /// The position of an activity in the list: by its owner's username, then in order of creation.
  struct Position: CustomStringConvertible {
    let username: Username
    let activity: ActivityID

    init(username: Username, activity: ActivityID) {
      self.username = username
      self.activity = activity
    }

    /// Parses a position from its description.
    init(text: String) throws(FieldRule) {
      let parts = text.split(separator: "/").map(String.init)
      guard parts.count == 2 else { throw PageCursor.invalid }
      self.init(username: try Username(text: parts[0]), activity: try ActivityID(text: parts[1]))
    }

    var description: String { "\(username)/\(activity)" }
  }

  /// - Parameter owner: only this account's activities.
  static func list(
    of follower: AccountID, owner: AccountID?, _ page: PageRequest, _ calendars: AccountCalendars, now: Instant,
    in database: Database
  ) throws -> Page<FollowedActivity> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT activities.activity_id, activities.account_id, activities.title, activities.category, owners.username, owners.nickname,
          owners.photo_tag
        FROM follows JOIN accounts owners ON owners.account_id = follows.followed_account
        JOIN activities ON activities.account_id = follows.followed_account
        WHERE follows.follower_account = :follower AND follows.is_open = 1 AND activities.archived_day IS NULL
          AND \(FollowStore.isThere("follows", at: ":now"))
          AND (:owner IS NULL OR follows.followed_account = :owner)
          AND (owners.username, activities.activity_id) > (:username, :activity)
        ORDER BY owners.username, activities.activity_id LIMIT :limit
        """)
    let position = try page.cursor(Position.init(text:))
    let rows = try Row.fetchAll(
      statement,
      arguments: [
        "follower": follower, "owner": owner, "username": position?.username.description ?? "",
        "activity": position?.activity ?? .placeholder, "limit": page.fetchLimit, "now": now,
      ])
    var accounts = KnownDays(calendars, now: now)
    return try page.page(of: rows, key: { Position(username: $0["username"], activity: $0["activity_id"]) }) { row in
      let (activity, days) = (row["activity_id"] as ActivityID, try accounts.days(of: row["account_id"], in: database))
      return FollowedActivity(
        accountID: row["account_id"], username: row["username"], nickname: row["nickname"],
        photoURL: row.photoURL(of: "account_id"), activityID: activity,
        title: row["title"], category: row["category"], day: days.today,
        state: try state(of: activity, days, in: database))
    }
  }

  /// How an activity stands today; nil where nothing is planned.
  private static func state(of activity: ActivityID, _ days: AccountDays, in database: Database) throws -> DayState? {
    let evaluation = DayStore.evaluation("?1", "?2")
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(evaluation.columns), (SELECT progress FROM entries WHERE activity_id = ?1 AND day = ?2) AS progress
        FROM (SELECT 1) \(evaluation.join)
        """)
    guard let row = try Row.fetchOne(statement, arguments: [activity, days.today]) else { return nil }
    let version = ActivityVersion(row)
    guard version.isPlanned(on: days.today) else { return nil }
    return try DayStore.state(row, version, of: activity, on: days.today, days, in: database)
  }
}
