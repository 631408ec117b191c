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
      sql: "SELECT account_id FROM task_series_participants WHERE series_id = ? ORDER BY position")
    return try AccountID.fetchAll(statement, arguments: [id])
  }

  /// Adds an account as the last participant of future occurrences.
  static func enrol(_ account: AccountID, in id: ID<TaskSeries>, _ database: Database) throws {
    try database.run("DELETE FROM task_series_leavers WHERE series_id = ? AND account_id = ?", .id(id), .id(account))
    try database.run(
      """
      INSERT INTO task_series_participants (series_id, account_id, series_sequence, position)
      SELECT ?1, ?2, sequence, (SELECT ifnull(max(position) + 1, 0) FROM task_series_participants WHERE series_id = ?1)
      FROM task_series WHERE series_id = ?1 ON CONFLICT DO NOTHING
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

  /// Removes an account that leaves a team from the team's series; the series that it created no longer belong to the team. The account
  /// leaves their open occurrences with the team's other tasks.
  static func leave(_ team: ID<Team>, _ account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    try database.cachedStatement(sql: "UPDATE task_series SET team_id = NULL WHERE team_id = ? AND creator_account = ?")
      .execute(arguments: [team, account])
    try database.cachedStatement(
      sql: """
        DELETE FROM task_series_participants
        WHERE account_id = ?2 AND series_id IN (SELECT series_id FROM task_series WHERE team_id = ?1)
        """
    ).execute(arguments: [team, account])
  }

  /// Adds the members who have joined the series's team since its last occurrence, except those who have left the series.
  ///
  /// - Returns: the series, which no longer belongs to the team if its creator has left the team.
  static func enrolTeam(of series: Stored, by creator: AccountID, _ transaction: Transaction) throws -> Stored {
    let database = transaction.database
    guard let team = series.team else { return series }
    if try TeamMemberStore.membership(of: creator, in: database)?.team != team {
      try database.run("UPDATE task_series SET team_id = NULL WHERE series_id = ?", .id(series.id))
      return try find(series.id, for: creator, in: database)
    }
    var count = try accounts(of: series.id, in: database).count
    let isOut = try database.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM task_series_leavers WHERE series_id = ?1 AND account_id = ?2)
          OR EXISTS (SELECT 1 FROM task_series_participants WHERE series_id = ?1 AND account_id = ?2)
        """)
    for member in try TeamTaskStore.enrolled(in: team, by: creator, at: transaction.now, database)
    where count < TaskRules.maxParticipants {
      if try Bool.fetchOne(isOut, arguments: [series.id, member]) ?? true { continue }
      try enrol(member, in: series.id, database)
      count += 1
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
