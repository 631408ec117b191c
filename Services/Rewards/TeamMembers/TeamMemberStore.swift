import GRDB
import Operations
import SocialContract
import Storage

/// The read model of teams: the team of each account. Social's ``TeamMembershipChanged`` feeds it.
enum TeamMemberStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "team members") { database in
      try database.execute(
        sql: """
          CREATE TABLE team_members (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            -- the last one that it was in
            team_id BLOB NOT NULL CHECK (length(team_id) = 16),
            -- A membership that ended stays, so that an event of it that comes late has no effect.
            is_member INTEGER NOT NULL CHECK (is_member IN (0, 1)),
            revision INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX team_members_by_team ON team_members (team_id) WHERE is_member = 1;
          """)
    }
  }

  /// Stores a membership from social; a late event of an erased account has no effect.
  static func keep(_ event: TeamMembershipChanged, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    try transaction.database.run(
      """
      INSERT INTO team_members (account_id, team_id, is_member, revision) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET team_id = excluded.team_id, is_member = excluded.is_member, revision = excluded.revision
      WHERE excluded.revision > team_members.revision
      """, .id(event.accountID), .id(event.teamID), .truth(event.isMember), .number(event.revision))
  }

  /// The account's team; nil where it has none.
  static func team(of account: AccountID, in database: Database) throws -> ID<Team>? {
    try database.first("SELECT team_id FROM team_members WHERE account_id = ? AND is_member = 1", .id(account)) { try $0.id(0) }
  }

  /// A query of the accounts (`account_id`) in the team of the account `?1`, itself included.
  static let teammates = """
    SELECT m.account_id FROM team_members own CROSS JOIN team_members m ON m.team_id = own.team_id
    WHERE own.account_id = ?1 AND own.is_member = 1 AND m.is_member = 1
    """
}
