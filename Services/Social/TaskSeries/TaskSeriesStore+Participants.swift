import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The participants of series, and the series of teams.
extension TaskSeriesStore {
  static func participantsMigration(_ number: Int) -> Migration {
    Migration(number, "recurring tasks of teams, and who has left") { database in
      try database.execute(
        sql: """
          -- The team that the occurrences belong to; it may have ended.
          ALTER TABLE task_series ADD COLUMN team_id BLOB CHECK (length(team_id) = 16);
          CREATE INDEX task_series_of_team ON task_series (team_id) WHERE team_id IS NOT NULL;
          -- Accounts that no longer take part: a team does not add them again, nor does the creator if they left by themselves.
          CREATE TABLE task_series_leavers (
            series_id BLOB NOT NULL REFERENCES task_series (series_id) ON DELETE CASCADE,
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            has_opted_out INTEGER NOT NULL CHECK (has_opted_out IN (0, 1)),
            PRIMARY KEY (series_id, account_id)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX task_series_leavers_by_account ON task_series_leavers (account_id);
          """)
    }
  }

  /// All who take part, in the order in which they were enrolled.
  static func accounts(of id: ID<TaskSeries>, in database: Database) throws -> [AccountID] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT p.account_id FROM task_series_participants p JOIN task_series s ON s.series_id = p.series_id
        WHERE p.series_id = ? AND NOT \(TeamLeaveStore.hasLeftSeries) ORDER BY p.position
        """)
    return try AccountID.fetchAll(statement, arguments: [id])
  }

  /// Adds an account as the last participant of future occurrences.
  static func enrol(_ account: AccountID, in id: ID<TaskSeries>, _ database: Database) throws {
    try database.run("DELETE FROM task_series_leavers WHERE series_id = ? AND account_id = ?", .id(id), .id(account))
    try removeFormerMembers(from: id, database)
    try database.run(
      """
      INSERT INTO task_series_participants (series_id, account_id, series_sequence, position)
      SELECT ?1, ?2, s.sequence, (SELECT ifnull(max(position) + 1, 0) FROM task_series_participants WHERE series_id = ?1)
      FROM task_series s WHERE s.series_id = ?1 ON CONFLICT DO NOTHING
      """, .id(id), .id(account))
    try database.run(
      """
      INSERT INTO task_series_returners (series_id, account_id, leave_id)
      SELECT s.series_id, l.account_id, l.leave_id FROM task_series s JOIN team_leavers l ON l.team_id = s.team_id
      WHERE s.series_id = ?1 AND l.account_id = ?2 AND s.sequence < l.before_series ON CONFLICT DO NOTHING
      """, .id(id), .id(account))
  }

  /// The same for several, each of whom is notified.
  static func enrol(_ others: [AccountID], in series: Stored, by account: AccountID, _ transaction: Transaction) throws {
    for other in others {
      try enrol(other, in: series.id, transaction.database)
      try notify(other, of: .enrolled, series.id, series.terms.text.name, by: account, transaction)
    }
  }

  /// Whether the account has left the series by itself.
  static func hasOptedOut(_ account: AccountID, of id: ID<TaskSeries>, in database: Database) throws -> Bool {
    try database.first(
      "SELECT has_opted_out FROM task_series_leavers WHERE series_id = ? AND account_id = ?", .id(id), .id(account)
    ) { $0.truth(0) } ?? false
  }

  /// Ends an account's participation in the future occurrences and in the open ones that it has not confirmed. The creator is notified if
  /// the account left by itself, otherwise the account.
  ///
  /// - Parameter actor: the account that did it.
  static func leave(_ series: Stored, _ account: AccountID, by actor: AccountID, _ transaction: Transaction) throws {
    let (database, name) = (transaction.database, series.terms.text.name)
    try database.run(
      "DELETE FROM task_series_participants WHERE series_id = ? AND account_id = ?", .id(series.id), .id(account))
    try database.run(
      """
      INSERT INTO task_series_leavers (series_id, account_id, has_opted_out) SELECT series_id, ?2, ?3 FROM task_series
      WHERE series_id = ?1 ON CONFLICT (series_id, account_id) DO UPDATE SET has_opted_out = excluded.has_opted_out
      """, .id(series.id), .id(account), .truth(actor == account))
    for task in try openOccurrences(of: series.id, in: database) {
      guard let participant = try TaskParticipantStore.find(task, account, in: database), participant.confirmedAt == nil else {
        continue
      }
      try TaskParticipantStore.leave(task, account, by: actor, isRemoval: actor != account, transaction)
    }
    if actor != account {
      try notify(account, of: .removed, series.id, name, by: actor, transaction)
    } else if let creator = series.creator {
      try notify(creator, of: .optedOut, series.id, name, by: account, transaction)
    }
  }

  /// Removes an account that has left a team from some of the team's series, the newest first; those that it created no longer belong to
  /// the team. The account leaves their open occurrences with the team's other tasks.
  ///
  /// - Parameter before: the series with smaller sequence numbers are left.
  /// - Returns: before which number to go on; nil if none is left.
  static func leave(
    _ team: ID<Team>, _ account: AccountID, before: Int64, limit: Int, _ transaction: Transaction
  ) throws -> Int64? {
    let database = transaction.database
    let statement = try database.cachedStatement(
      sql: """
        SELECT sequence, series_id, creator_account FROM task_series WHERE team_id = ? AND sequence < ?
        ORDER BY sequence DESC LIMIT ?
        """)
    let series = try Row.fetchAll(statement, arguments: [team, before, limit])
    for row in series {
      let id: ID<TaskSeries> = row["series_id"]
      if row["creator_account"] as AccountID? == account {
        try detach(id, database)
      } else {
        try removeFormerMembers(from: id, database)
        // This leaving no longer concerns the series.
        try database.run("DELETE FROM task_series_returners WHERE series_id = ? AND account_id = ?", .id(id), .id(account))
      }
    }
    guard series.count == limit, let last = series.last else { return nil }
    return last["sequence"] as Int64
  }

  /// Takes a series from its team. First its former members go: afterwards nothing would tell that they have left.
  private static func detach(_ id: ID<TaskSeries>, _ database: Database) throws {
    try removeFormerMembers(from: id, database)
    try database.run("DELETE FROM task_series_returners WHERE series_id = ?", .id(id))
    try database.run("UPDATE task_series SET team_id = NULL WHERE series_id = ?", .id(id))
  }

  /// Removes the rows of all who have left the series with its team; see ``TeamLeaveStore``.
  private static func removeFormerMembers(from id: ID<TaskSeries>, _ database: Database) throws {
    try database.run(
      """
      DELETE FROM task_series_participants WHERE series_id = ?1 AND account_id IN (
        SELECT p.account_id FROM task_series_participants p JOIN task_series s ON s.series_id = p.series_id
        WHERE p.series_id = ?1 AND \(TeamLeaveStore.hasLeftSeries))
      """, .id(id))
  }

  /// Adds the members who have joined the series's team since its last occurrence, except those who have left the series.
  ///
  /// - Returns: the series, which no longer belongs to the team if its creator has left the team.
  static func enrolTeam(of series: Stored, by creator: AccountID, _ transaction: Transaction) throws -> Stored {
    let database = transaction.database
    guard let team = series.team else { return series }
    if try TeamMemberStore.membership(of: creator, in: database)?.team != team {
      try detach(series.id, database)
      return try find(series.id, for: creator, in: database)
    }
    var present = Set(try accounts(of: series.id, in: database))
    let hasLeft = try database.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM task_series_leavers WHERE series_id = ? AND account_id = ?)")
    for member in try TeamTaskStore.enrolled(in: team, by: creator, at: transaction.now, database)
    where present.count < TaskRules.maxParticipants && !present.contains(member) {
      if try Bool.fetchOne(hasLeft, arguments: [series.id, member]) ?? true { continue }
      try enrol(member, in: series.id, database)
      present.insert(member)
    }
    return series
  }

  /// The participants of a series whom its creator may enrol in an occurrence now: members of its team always allow it.
  static func enrolled(
    in series: Stored, by creator: AccountID, at now: Instant, _ database: Database
  ) throws -> [AccountID] {
    let members = try series.team.map { Set(try TeamMemberStore.accounts(of: $0, in: database)) } ?? []
    return try accounts(of: series.id, in: database).filter { other in
      guard other != creator, try !database.isErased(other), let known = try Accounts.find(other, in: database) else {
        return false
      }
      return try !known.isSuspended(at: now) && !BlockStore.areApart(creator, other, in: database)
        && (members.contains(other) || NamedPeople.mayEnroll(other, creator, database))
    }
  }
}
