import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The invitations of all teams; at most one of each team waits for an account.
///
/// An invitation belongs to its team: the team's owner sees and withdraws it, even after the team was handed over. It is deleted with the
/// team, its recipient or its sender.
enum TeamInvitationStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "team invitations") { try $0.execute(sql: schema) }
  }

  private static let schema = """
    CREATE TABLE team_invitations (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      team_invitation_id BLOB NOT NULL UNIQUE CHECK (length(team_invitation_id) = 16),
      team_id BLOB NOT NULL REFERENCES teams (team_id) ON DELETE CASCADE,
      from_account BLOB NOT NULL CHECK (length(from_account) = 16),
      to_account BLOB NOT NULL CHECK (length(to_account) = 16),
      state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'withdrawn', 'expired')),
      sent_at INTEGER NOT NULL,
      -- when it stopped waiting, in whichever way
      answered_at INTEGER,
      -- whether the one that it is for never sees it
      is_hidden INTEGER NOT NULL CHECK (is_hidden IN (0, 1)),
      changed_at INTEGER NOT NULL,
      revision INTEGER NOT NULL CHECK (revision >= 1),
      CHECK (from_account <> to_account),
      CHECK ((state = 'pending') = (answered_at IS NULL))
    ) STRICT;
    CREATE UNIQUE INDEX team_invitations_pending ON team_invitations (team_id, to_account) WHERE state = 'pending';
    CREATE INDEX team_invitations_received ON team_invitations (to_account, sequence);
    CREATE INDEX team_invitations_received_by_state ON team_invitations (to_account, state, sequence);
    CREATE INDEX team_invitations_sent ON team_invitations (team_id, sequence);
    CREATE INDEX team_invitations_sent_by_state ON team_invitations (team_id, state, sequence);
    CREATE INDEX team_invitations_by_sender ON team_invitations (from_account);
    CREATE INDEX team_invitations_waiting ON team_invitations (sent_at) WHERE state = 'pending';
    """

  /// An invitation as it stands in the table.
  struct Stored {
    let id: ID<TeamInvitation>
    let team: ID<Team>
    let from: AccountID
    let to: AccountID
    let state: ConnectionRequestState
    let isHidden: Bool

    fileprivate init(_ row: Row) {
      id = row["team_invitation_id"]
      team = row["team_id"]
      from = row["from_account"]
      to = row["to_account"]
      state = row["state"]
      isHidden = row["is_hidden"]
    }
  }

  /// An invitation, and its direction for an account. It exists only for its recipient and the team's owner; not for the recipient while
  /// one of the two has blocked the other, or while the sender is suspended.
  ///
  /// - Throws: `not_found`.
  static func find(
    _ id: ID<TeamInvitation>, of account: AccountID, now: Instant, in database: Database
  ) throws -> (invitation: Stored, direction: ConnectionRequestDirection) {
    let statement = try database.cachedStatement(sql: "SELECT * FROM team_invitations WHERE team_invitation_id = ?")
    guard let invitation = try Row.fetchOne(statement, arguments: [id]).map(Stored.init) else {
      throw Failure(RequestFailure.notFound)
    }
    if invitation.to == account {
      guard !invitation.isHidden, try !BlockStore.areApart(invitation.from, account, in: database),
        try Accounts.find(invitation.from, in: database)?.isSuspended(at: now) == false
      else { throw Failure(RequestFailure.notFound) }
      return (invitation, .received)
    }
    guard let membership = try TeamMemberStore.membership(of: account, in: database), membership.team == invitation.team,
      membership.isOwner, try invitation.isHidden || !BlockStore.hasBlocked(invitation.to, account, in: database)
    else { throw Failure(RequestFailure.notFound) }
    return (invitation, .sent)
  }

  /// Whether one of that team waits for the account.
  static func isWaiting(for account: AccountID, of team: ID<Team>, in database: Database) throws -> Bool {
    try database.first(
      "SELECT 1 FROM team_invitations WHERE team_id = ? AND to_account = ? AND state = 'pending'", .id(team), .id(account)
    ) { _ in true } ?? false
  }

  /// How many of a team wait.
  static func countWaiting(of team: ID<Team>, in database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM team_invitations WHERE team_id = ? AND state = 'pending'", .id(team)) {
      $0.number(0)
    } ?? 0
  }

  /// When the last invitations of one account by another that were withdrawn or rejected were sent, the newest first.
  static func refused(from account: AccountID, to other: AccountID, in database: Database) throws -> [Instant] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT sent_at FROM team_invitations
        WHERE to_account = ? AND from_account = ? AND state IN ('withdrawn', 'rejected') ORDER BY sequence DESC LIMIT ?
        """)
    return try Instant.fetchAll(statement, arguments: [other, account, ConnectionRequestRepetition.maxPerDay])
  }

  /// Stores a new invitation and publishes it.
  ///
  /// - Parameter isHidden: whether the recipient never sees it. It is then shown with the name that the recipient was invited by.
  static func add(
    to team: ID<Team>, from account: AccountID, to other: AccountID, isHidden: Bool, _ transaction: Transaction
  ) throws -> ID<TeamInvitation> {
    let id = ID<TeamInvitation>()
    try transaction.database.run(
      """
      INSERT INTO team_invitations (team_invitation_id, team_id, from_account, to_account, state, sent_at, is_hidden, changed_at,
        revision, known_username)
      VALUES (?1, ?2, ?3, ?4, 'pending', ?5, ?6, ?5, max(1, ?5), 
        (SELECT username FROM accounts WHERE account_id = ?4 AND ?6))
      """, .id(id), .id(team), .id(account), .id(other), .instant(transaction.now), .truth(isHidden))
    try publish(id, transaction)
    return id
  }

  /// Notes what became of an invitation that waits, and publishes it.
  static func end(_ id: ID<TeamInvitation>, _ state: ConnectionRequestState, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      UPDATE team_invitations SET state = ?3, answered_at = ?2, changed_at = ?2, revision = max(revision + 1, ?2)
      WHERE team_invitation_id = ?1
      """, .id(id), .instant(transaction.now), .text(state.rawValue))
    try publish(id, transaction)
  }

  /// Withdraws the blocker's pending invitations to the blocked account, and hides those in the other direction; see ``BlockClosing``.
  @Sendable
  static func close(_ blocker: AccountID, _ blocked: AccountID, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT team_invitation_id FROM team_invitations WHERE to_account = ?1 AND from_account = ?2 AND state = 'pending'
        """)
    for id in try ID<TeamInvitation>.fetchAll(statement, arguments: [blocked, blocker]) { try end(id, .withdrawn, transaction) }
    try transaction.database.run(
      """
      UPDATE team_invitations SET is_hidden = 1, \(KnownNameStore.keep("to_account"))
      WHERE to_account = ? AND from_account = ? AND state = 'pending' AND is_hidden = 0
      """, .id(blocker), .id(blocked))
  }

  /// Ends invitations that have waited for too long, the oldest first. Returns how many they were.
  static func expire(_ life: ConnectionRequestLife, limit: Int, _ transaction: Transaction) throws -> Int {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT team_invitation_id FROM team_invitations WHERE state = 'pending' AND sent_at <= ? ORDER BY sent_at LIMIT ?
        """)
    let due = try ID<TeamInvitation>.fetchAll(statement, arguments: [life.end(at: transaction.now), limit])
    for id in due { try end(id, .expired, transaction) }
    return due.count
  }
}
