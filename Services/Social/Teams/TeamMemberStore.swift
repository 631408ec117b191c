import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The members of teams: one row for each account that was ever in a team, so that an account is in at most one.
///
/// A row stays when its account has left, so that a subscriber that starts from the snapshot learns of it.
enum TeamMemberStore {
  static let schema = """
    CREATE TABLE team_members (
      account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
      -- the last one that it was in, which may have ended since
      team_id BLOB NOT NULL CHECK (length(team_id) = 16),
      -- 1, 2, 3, … in the order in which they came; null once it is in the team no more
      position INTEGER CHECK (position >= 1),
      is_owner INTEGER NOT NULL CHECK (is_owner IN (0, 1)),
      joined_at INTEGER NOT NULL,
      change TEXT NOT NULL
        CHECK (change IN ('created', 'added', 'joined', 'madeOwner', 'handedOver', 'renamed', 'left', 'removed')),
      changed_at INTEGER NOT NULL,
      revision INTEGER NOT NULL CHECK (revision >= 1),
      CHECK (position IS NOT NULL OR is_owner = 0),
      CHECK ((position IS NULL) = (change IN ('left', 'removed')))
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX team_members_by_team ON team_members (team_id, position) WHERE position IS NOT NULL;
    CREATE UNIQUE INDEX team_members_owner ON team_members (team_id) WHERE is_owner = 1;
    CREATE TRIGGER team_members_added AFTER INSERT ON team_members WHEN new.position IS NOT NULL BEGIN
      UPDATE teams SET member_count = member_count + 1 WHERE team_id = new.team_id;
    END;
    CREATE TRIGGER team_members_changed AFTER UPDATE OF team_id, position ON team_members BEGIN
      UPDATE teams SET member_count = member_count + 1 WHERE team_id = new.team_id AND new.position IS NOT NULL;
      UPDATE teams SET member_count = member_count - 1 WHERE team_id = old.team_id AND old.position IS NOT NULL;
      DELETE FROM teams WHERE team_id = old.team_id AND member_count = 0;
    END;
    CREATE TRIGGER team_members_deleted AFTER DELETE ON team_members WHEN old.position IS NOT NULL BEGIN
      UPDATE teams SET member_count = member_count - 1 WHERE team_id = old.team_id;
      DELETE FROM teams WHERE team_id = old.team_id AND member_count = 0;
    END;
    """

  /// An account's part in the team that it is in.
  struct Membership: Hashable, Sendable {
    let team: ID<Team>
    let isOwner: Bool
  }

  /// Nil where the account is in no team.
  static func membership(of account: AccountID, in database: Database) throws -> Membership? {
    try database.first(
      "SELECT team_id, is_owner FROM team_members WHERE account_id = ? AND position IS NOT NULL", .id(account)
    ) { Membership(team: try $0.id(0), isOwner: $0.truth(1)) }
  }

  /// The account's part in that team.
  ///
  /// - Throws: `not_found` where it is not in it: then the team does not exist for it.
  static func membership(of account: AccountID, in team: ID<Team>, _ database: Database) throws -> Membership {
    guard let membership = try membership(of: account, in: database), membership.team == team else {
      throw Failure(RequestFailure.notFound)
    }
    return membership
  }

  /// The same for what only the owner may do.
  ///
  /// - Throws: `forbidden` for other members.
  static func requireOwner(_ account: AccountID, of team: ID<Team>, in database: Database) throws {
    guard try membership(of: account, in: team, database).isOwner else { throw Failure(RequestFailure.forbidden) }
  }

  /// The members' accounts, the longest member's first.
  static func accounts(of team: ID<Team>, in database: Database) throws -> [AccountID] {
    let statement = try database.cachedStatement(
      sql: "SELECT account_id FROM team_members WHERE team_id = ? AND position IS NOT NULL ORDER BY position")
    return try AccountID.fetchAll(statement, arguments: [team])
  }

  /// Adds an account without a team as the last member of a team, and publishes it.
  ///
  /// - Parameter change: `created`, by the team's creator, `added` or `joined`.
  static func add(
    _ account: AccountID, to team: ID<Team>, _ change: TeamMembershipChange, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      """
      INSERT INTO team_members (account_id, team_id, position, is_owner, joined_at, change, changed_at, revision)
      SELECT ?1, ?2, ifnull(max(position), 0) + 1, ?3, ?4, ?5, ?4, max(1, ?4)
      FROM team_members WHERE team_id = ?2 AND position IS NOT NULL
      ON CONFLICT (account_id) DO UPDATE SET team_id = excluded.team_id, position = excluded.position,
        is_owner = excluded.is_owner, joined_at = excluded.joined_at, change = excluded.change,
        changed_at = excluded.changed_at, revision = max(revision + 1, excluded.revision)
      WHERE position IS NULL
      """, .id(account), .id(team), .truth(change == .created), .instant(transaction.now), .text(change.rawValue))
    try publish(account, transaction)
    // The others come with the team, which is registered as one.
    if change == .joined { try RegisterStore.append(.teamMember(account, change, team), transaction) }
  }

  /// Ends an account's membership and publishes it. Where it was the owner, the longest other member is first; with the last one the
  /// team ends.
  ///
  /// - Parameter change: `left` or `removed`.
  static func end(_ account: AccountID, _ change: TeamMembershipChange, _ transaction: Transaction) throws {
    if let team = try membership(of: account, in: transaction.database)?.team {
      try RegisterStore.append(.teamMember(account, change, team), transaction)
    }
    _ = try handOver(from: account, transaction)
    try transaction.database.run(
      "UPDATE team_members SET position = NULL, is_owner = 0, \(changed) WHERE account_id = ?1", .id(account),
      .instant(transaction.now), .text(change.rawValue))
    try publish(account, transaction)
  }

  /// Hands the account's team over to the other member of the longest standing, and publishes it; false if the account owns no team, or has
  /// no other member.
  static func handOver(from account: AccountID, _ transaction: Transaction) throws -> Bool {
    let heir: AccountID? = try transaction.database.first(
      """
      SELECT heir.account_id FROM team_members own CROSS JOIN team_members heir USING (team_id)
      WHERE own.account_id = ?1 AND own.is_owner = 1 AND heir.position IS NOT NULL AND heir.account_id <> ?1
      ORDER BY heir.position LIMIT 1
      """, .id(account)
    ) { try $0.id(0) }
    guard let heir else { return false }
    try handOver(from: account, to: heir, transaction)
    return true
  }

  /// Lets a member be the owner in place of another of the same team, and publishes it for both.
  static func handOver(from owner: AccountID, to member: AccountID, _ transaction: Transaction) throws {
    if let team = try membership(of: owner, in: transaction.database)?.team {
      try RegisterStore.append(.teamHandedOver(team, from: owner, to: member), transaction)
    }
    for (account, isOwner, change) in [(owner, false, TeamMembershipChange.handedOver), (member, true, .madeOwner)] {
      try transaction.database.run(
        "UPDATE team_members SET is_owner = ?4, \(changed) WHERE account_id = ?1", .id(account), .instant(transaction.now),
        .text(change.rawValue), .truth(isOwner))
      try publish(account, transaction)
    }
  }

  /// Notes and publishes what changed for a member although its part in the team did not.
  static func note(_ change: TeamMembershipChange, of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE team_members SET \(changed) WHERE account_id = ?1", .id(account), .instant(transaction.now), .text(change.rawValue))
    try publish(account, transaction)
  }

  /// What each change sets, in SQL; `?2` is now, `?3` the change. A revision is the time in milliseconds, or one more than the last where
  /// that is more: so it grows even after the store was put back from an older copy.
  private static let changed = "change = ?3, changed_at = ?2, revision = max(revision + 1, ?2)"
}

// MARK: - Reading

extension TeamMemberStore {
  /// The owner of a team; nil if there is no such team.
  static func owner(of team: ID<Team>, in database: Database) throws -> AccountID? {
    try AccountID.fetchOne(
      database.cachedStatement(
        sql: "SELECT account_id FROM team_members WHERE team_id = ? AND is_owner = 1 AND position IS NOT NULL"),
      arguments: [team])
  }

  /// The members as one of them sees them, in the order in which they came; see ``ShownPersonStore``.
  static func list(of team: ID<Team>, for account: AccountID, in database: Database) throws -> [TeamMember] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT m.account_id, m.is_owner, m.joined_at, \(ShownPersonStore.columns(for: ":account"))
        FROM team_members m JOIN accounts a ON a.account_id = m.account_id
        WHERE m.team_id = :team AND m.position IS NOT NULL ORDER BY m.position
        """)
    return try Row.fetchAll(statement, arguments: ["team": team, "account": account]).map { row in
      TeamMember(
        accountID: row["account_id"], username: row["username"], nickname: row["nickname"],
        photoURL: row.photoURL(of: "account_id"), isOwner: row["is_owner"], joinedAt: row["joined_at"])
    }
  }

  private static let events = "SELECT m.*, t.name FROM team_members m LEFT JOIN teams t USING (team_id)"

  /// Publishes an account's part in its team as it is now.
  private static func publish(_ account: AccountID, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(sql: "\(events) WHERE m.account_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [account]) else { return }
    try transaction.publish(TeamMembershipChanged(row))
  }

  /// All accounts that were ever in a team, as events; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database, sql: "\(events) WHERE m.account_id > ? ORDER BY m.account_id LIMIT ?",
      arguments: [try key.map { try AccountID(text: $0) } ?? .placeholder, SnapshotParts.pageSize])
    return SnapshotParts.page(rows.map(TeamMembershipChanged.init), of: rows) { $0["account_id"] as AccountID }
  }
}

extension TeamMembershipChanged {
  fileprivate init(_ row: Row) {
    self.init(
      accountID: row["account_id"], teamID: row["team_id"], teamName: row["name"], isMember: !row.hasNull("position"),
      isOwner: row["is_owner"], change: row["change"], revision: row["revision"], at: row["changed_at"])
  }
}

extension Row {
  fileprivate func hasNull(_ column: String) -> Bool { (self[column] as DatabaseValue).isNull }
}
