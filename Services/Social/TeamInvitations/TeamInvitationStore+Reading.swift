import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

extension TeamInvitationStore {
  /// Invitations with their team and the account on the other end, in SQL.
  ///
  /// - Parameter other: the column of the other end.
  private static func selection(_ other: String) -> String {
    """
    SELECT i.*, t.name, t.member_count, a.account_id,
      \(KnownNameStore.columns(of: "i", isSender: other == "to_account" ? "TRUE" : "FALSE", for: ":account"))
    FROM team_invitations i CROSS JOIN teams t USING (team_id) CROSS JOIN accounts a ON a.account_id = i.\(other)
    """
  }

  /// An invitation as one of its two sides sees it.
  static func view(
    _ id: ID<TeamInvitation>, _ direction: ConnectionRequestDirection, for account: AccountID, in database: Database
  ) throws -> TeamInvitation {
    let statement = try database.cachedStatement(
      sql: "\(selection(direction == .received ? "from_account" : "to_account")) WHERE i.team_invitation_id = :id")
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "id": id]) else {
      throw Failure(RequestFailure.notFound)
    }
    return TeamInvitation(row, direction)
  }

  /// The SQL of a list: each half follows an index of its own from the newest on, and stops at the page's end. A blocker sees none with the
  /// blocked account; invitations with suspended accounts are left out.
  static func listSQL(_ direction: ConnectionRequestDirection?, isOfState: Bool) -> String {
    let page = """
      i.sequence < :before\(isOfState ? " AND i.state = :state" : "") AND \(Accounts.isShown("a", at: ":now"))
        AND NOT \(BlockStore.exists(by: ":account", of: "a.account_id")) ORDER BY i.sequence DESC LIMIT :limit
      """
    let received = """
      SELECT * FROM (\(selection("from_account")) WHERE i.to_account = :account AND i.is_hidden = 0
        AND NOT \(BlockStore.exists(by: "i.from_account", of: ":account")) AND \(page))
      """
    let sent = """
      SELECT * FROM (\(selection("to_account")) WHERE i.team_id = :team
        AND (i.is_hidden = 1 OR \(ShownPersonStore.isFound("i.to_account", for: ":account"))) AND \(page))
      """
    return switch direction {
    case .received: received
    case .sent: sent
    case nil: "\(received) UNION ALL \(sent) ORDER BY sequence DESC LIMIT :limit"
    }
  }

  /// The invitations received, and those of the team that the account owns, newest first.
  static func list(
    for account: AccountID, direction: ConnectionRequestDirection?, state: ConnectionRequestState?, _ page: PageRequest,
    now: Instant, in database: Database
  ) throws -> Page<TeamInvitation> {
    let membership = try TeamMemberStore.membership(of: account, in: database)
    let team = membership.flatMap { $0.isOwner ? $0.team : nil }
    // An account that owns no team has sent none.
    let shown = team == nil && direction == nil ? .received : direction
    if shown == .sent, team == nil { return Page(items: []) }
    var arguments: StatementArguments = [
      "account": account, "before": try page.before, "limit": page.fetchLimit, "now": now,
    ]
    if shown != .received { arguments += ["team": team] }
    if let state { arguments += ["state": state] }
    let statement = try database.cachedStatement(sql: listSQL(shown, isOfState: state != nil))
    let rows = try Row.fetchAll(statement, arguments: arguments)
    return page.page(of: rows, key: { $0["sequence"] as Int64 }) { row in
      TeamInvitation(row, row["to_account"] as AccountID == account ? .received : .sent)
    }
  }

  /// The columns of the events, with both current usernames; for a hidden invitation, with the recipient's username as the sender knew it.
  private static let events = """
    SELECT i.*, t.name, f.username AS from_username,
      iif(i.is_hidden, i.known_username, o.username) AS to_username
    FROM team_invitations i CROSS JOIN teams t USING (team_id)
    CROSS JOIN accounts f ON f.account_id = i.from_account CROSS JOIN accounts o ON o.account_id = i.to_account
    """

  /// Publishes the current invitation separately for both accounts; only for the sender if it is hidden.
  static func publish(_ id: ID<TeamInvitation>, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(sql: "\(events) WHERE i.team_invitation_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return }
    for event in TeamInvitationChanged.all(row) { try transaction.publish(event) }
  }

  /// All invitations as events, in the order in which they were sent; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database, sql: "\(events) WHERE i.sequence > ? ORDER BY i.sequence LIMIT ?",
      arguments: [key.flatMap { Int64($0) } ?? 0, SnapshotParts.pageSize])
    return SnapshotParts.page(rows.flatMap { TeamInvitationChanged.all($0) }, of: rows) { $0["sequence"] as Int64 }
  }
}

extension TeamInvitation {
  fileprivate init(_ row: Row, _ direction: ConnectionRequestDirection) {
    self.init(
      id: row["team_invitation_id"], direction: direction, teamID: row["team_id"], teamName: row["name"],
      memberCount: row["member_count"], accountID: row["account_id"], username: row["username"], nickname: row["nickname"],
      photoURL: row.photoURL(of: "account_id"), state: row["state"], sentAt: row["sent_at"], answeredAt: row["answered_at"])
  }
}

extension TeamInvitationChanged {
  /// The events for an invitation: one for the recipient, unless it is hidden, and one for the sender.
  fileprivate static func all(_ row: Row) -> [TeamInvitationChanged] {
    let directions: [ConnectionRequestDirection] = row["is_hidden"] ? [.sent] : [.received, .sent]
    return directions.map { direction in
      let (own, other) = direction == .received ? ("to", "from") : ("from", "to")
      return TeamInvitationChanged(
        teamInvitationID: row["team_invitation_id"], accountID: row["\(own)_account"], direction: direction,
        otherAccountID: row["\(other)_account"], otherUsername: row["\(other)_username"], teamID: row["team_id"],
        teamName: row["name"], state: row["state"], revision: row["revision"], at: row["changed_at"])
    }
  }
}
