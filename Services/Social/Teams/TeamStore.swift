public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension TeamName: DatabaseValueConvertible {}
extension TeamMembershipChange: DatabaseValueConvertible {}

/// The teams; each has members, of whom one is its owner, and ends with its last one.
enum TeamStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "teams") { try $0.execute(sql: schema + TeamMemberStore.schema) }
  }

  private static let schema = """
    CREATE TABLE teams (
      team_id BLOB NOT NULL PRIMARY KEY CHECK (length(team_id) = 16),
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      -- counted by the triggers of team_members, which delete the team with its last member
      member_count INTEGER NOT NULL DEFAULT 0 CHECK (member_count BETWEEN 0 AND 50)
    ) STRICT, WITHOUT ROWID;

    """

  /// Makes a team that nobody is in yet.
  static func add(_ name: TeamName, _ transaction: Transaction) throws -> ID<Team> {
    let id = ID<Team>()
    try transaction.database.run(
      "INSERT INTO teams (team_id, name, created_at) VALUES (?, ?, ?)", .id(id), .text(name.description),
      .instant(transaction.now))
    return id
  }

  /// Renames a team, and publishes that for each member; does nothing if the name is the same.
  static func rename(_ team: ID<Team>, _ name: TeamName, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(sql: "UPDATE teams SET name = ?2 WHERE team_id = ?1 AND name <> ?2")
    try statement.execute(arguments: [team, name])
    guard transaction.database.changesCount > 0 else { return }
    // What moderators removed before does not come back in its place.
    try ModerationCaseStore.forgetRemoved(.team(team), transaction)
    let members = try TeamMemberStore.accounts(of: team, in: transaction.database)
    for member in members { try TeamMemberStore.note(.renamed, of: member, transaction) }
    try RegisterStore.append(.teamRenamed(team, name, members: members), transaction)
  }

  /// The name of a team; nil if there is no such team.
  static func name(of team: ID<Team>, in database: Database) throws -> TeamName? {
    try TeamName.fetchOne(database.cachedStatement(sql: "SELECT name FROM teams WHERE team_id = ?"), arguments: [team])
  }

  /// How many are in it.
  static func memberCount(of team: ID<Team>, in database: Database) throws -> Int {
    try database.first("SELECT member_count FROM teams WHERE team_id = ?", .id(team)) { $0.number(0) } ?? 0
  }

  /// A team as one of its members sees it.
  static func view(_ team: ID<Team>, for account: AccountID, now: Instant, in database: Database) throws -> Team {
    let statement = try database.cachedStatement(sql: "SELECT name, created_at FROM teams WHERE team_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [team]) else { throw Failure(RequestFailure.notFound) }
    let members = try TeamMemberStore.list(of: team, for: account, in: database)
    return Team(
      id: team, name: row["name"], isOwner: members.contains { $0.isOwner && $0.accountID == account }, members: members,
      createdAt: row["created_at"], allTime: try TeamScoreStore.standing(of: team, nil, in: database),
      month: try TeamScoreStore.standing(of: team, TeamMonth(now), in: database))
  }
}

extension TeamStore {
  /// Notifies the owner that a member left of its own accord.
  static func notify(
    _ owner: AccountID, thatLeft member: AccountID, _ team: ID<Team>, _ transaction: Transaction
  ) throws {
    guard let name = try name(of: team, in: transaction.database),
      let username = try Accounts.find(member, in: transaction.database)?.username
    else { return }
    try transaction.publish(
      TeamMemberLeft(
        accountID: owner, noticeID: ID(), teamID: team, teamName: name, memberAccountID: member, memberUsername: username,
        at: transaction.now))
  }
}
