public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension TaskSeriesState: DatabaseValueConvertible {}

/// Recurring tasks, their participants, and the day of each one's next occurrence.
///
/// An occurrence and the day of the next one are written in one transaction, and the schema allows a series one task a day: so a planned
/// day has at most one, whatever process is killed or however the clock is set.
struct TaskSeriesStore: Sendable {
  let rules: TaskRules
  let calendars = AccountCalendars()

  static func migration(_ number: Int) -> Migration {
    Migration(number, "recurring tasks") { database in
      try database.execute(
        sql: schema + TaskSpaceStore.triggers(on: "task_series", by: "creator_account", of: ["name", "description"]))
    }
  }

  private static let schema = """
    CREATE TABLE task_series (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      series_id BLOB NOT NULL UNIQUE CHECK (length(series_id) = 16),
      -- NULL once who made it was deleted
      creator_account BLOB CHECK (length(creator_account) = 16),
      name TEXT NOT NULL CHECK (name <> ''),
      description TEXT CHECK (description <> ''),
      schedule_kind TEXT NOT NULL CHECK (schedule_kind IN ('daily', 'weekdays', 'monthDays', 'everyNDays', 'nthWeekdays')),
      schedule_code INTEGER NOT NULL,
      -- from which a number of days is counted
      anchor_day INTEGER NOT NULL,
      start_day INTEGER NOT NULL,
      end_day INTEGER CHECK (end_day >= start_day),
      -- of the next occurrence, and about when it begins where the creator is; NULL where none is left
      next_day INTEGER,
      next_at INTEGER,
      -- the creator's today when it was advanced last: if that lies in the future, the clock was wrong
      advanced_day INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      -- by its creator, or since that account was deleted
      ended_at INTEGER,
      CHECK ((next_day IS NULL) = (next_at IS NULL)),
      CHECK (ended_at IS NULL OR next_day IS NULL),
      CHECK (creator_account IS NOT NULL OR ended_at IS NOT NULL)
    ) STRICT;
    CREATE INDEX task_series_by_creator ON task_series (creator_account, next_day) WHERE creator_account IS NOT NULL;
    CREATE INDEX task_series_due ON task_series (next_at) WHERE next_at IS NOT NULL;
    CREATE INDEX task_series_advanced ON task_series (advanced_day) WHERE ended_at IS NULL;
    CREATE TABLE task_series_participants (
      series_id BLOB NOT NULL REFERENCES task_series (series_id) ON DELETE CASCADE,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      -- the series', in the order of which an account's are listed
      series_sequence INTEGER NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (series_id, account_id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX task_series_participants_listed ON task_series_participants (account_id, series_sequence);
    -- A series that its creator and all others have left belongs to nobody.
    CREATE TRIGGER task_series_left AFTER DELETE ON task_series_participants BEGIN
      DELETE FROM task_series WHERE series_id = old.series_id AND creator_account IS NULL
        AND NOT EXISTS (SELECT 1 FROM task_series_participants p WHERE p.series_id = old.series_id);
    END;
    CREATE TRIGGER task_series_orphaned AFTER UPDATE OF creator_account ON task_series
    WHEN new.creator_account IS NULL AND NOT EXISTS (SELECT 1 FROM task_series_participants p WHERE p.series_id = new.series_id)
    BEGIN
      DELETE FROM task_series WHERE sequence = new.sequence;
    END;

    -- The series and the day that a task is an occurrence of, whatever its own due day. The series may be deleted.
    ALTER TABLE tasks ADD COLUMN series_id BLOB CHECK (length(series_id) = 16);
    ALTER TABLE tasks ADD COLUMN series_day INTEGER CHECK ((series_day IS NULL) = (series_id IS NULL));
    CREATE UNIQUE INDEX tasks_of_series ON tasks (series_id, series_day) WHERE series_id IS NOT NULL;
    CREATE INDEX tasks_open_of_series ON tasks (series_id, series_day) WHERE series_id IS NOT NULL AND state = 'open';

    """

  /// What ending one sets, in SQL, at `:now`.
  static let ending = "ended_at = coalesce(ended_at, :now), next_day = NULL, next_at = NULL"

  /// A series of the table, without its participants.
  struct Stored: Sendable {
    let id: ID<TaskSeries>
    /// Nil once the creator was deleted.
    let creator: AccountID?
    let terms: TaskSeriesTerms
    let startDay: LocalDay
    /// Nil where none is left.
    let nextDay: LocalDay?
    /// The team whose own its occurrences are.
    let team: ID<Team>?

    init(_ row: Row) {
      id = row["series_id"]
      creator = row["creator_account"]
      terms = TaskSeriesTerms(
        text: TaskText(name: row["name"], description: row["description"], dueDay: nil),
        planned: PlannedDays(kind: row["schedule_kind"], code: row["schedule_code"], anchor: row["anchor_day"]),
        endDay: row["end_day"])
      startDay = row["start_day"]
      nextDay = row["next_day"]
      team = row["team_id"]
    }
  }

  /// A series, for any caller.
  static func find(_ id: ID<TaskSeries>, in database: Database) throws -> Stored? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM task_series WHERE series_id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(Stored.init)
  }

  /// A series in which the account takes part.
  ///
  /// - Throws: `not_found`.
  static func find(_ id: ID<TaskSeries>, for account: AccountID, in database: Database) throws -> Stored {
    let statement = try database.cachedStatement(
      sql: """
        SELECT s.* FROM task_series_participants p JOIN task_series s ON s.series_id = p.series_id
        WHERE p.series_id = ? AND p.account_id = ? AND NOT \(TeamLeaveStore.hasLeftSeries)
        """)
    guard let row = try Row.fetchOne(statement, arguments: [id, account]) else { throw Failure(RequestFailure.notFound) }
    return Stored(row)
  }

  /// A series that the account made.
  ///
  /// - Throws: `forbidden` where it takes part in another's.
  static func find(_ id: ID<TaskSeries>, madeBy account: AccountID, in database: Database) throws -> Stored {
    let series = try find(id, for: account, in: database)
    guard series.creator == account else { throw Failure(RequestFailure.forbidden) }
    return series
  }

  /// How many that the account made go on.
  static func countActive(by account: AccountID, in database: Database) throws -> Int {
    try database.first(
      "SELECT count(*) FROM task_series WHERE creator_account = ? AND next_day IS NOT NULL", .id(account)
    ) { $0.number(0) } ?? 0
  }

  /// Stores a new series and enrols its creator and the others, each of whom is notified. If its first day is today, its first occurrence
  /// is created.
  func add(
    _ terms: TaskSeriesTerms, from startDay: LocalDay, next: LocalDay, by account: AccountID, with others: [AccountID],
    of team: ID<Team>? = nil, _ transaction: Transaction
  ) throws -> ID<TaskSeries> {
    let (id, database) = (ID<TaskSeries>(), transaction.database)
    try database.cachedStatement(
      sql: """
        INSERT INTO task_series (series_id, creator_account, name, description, schedule_kind, schedule_code, anchor_day,
          start_day, end_day, next_day, next_at, advanced_day, created_at, team_id)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?11, ?13)
        """
    ).execute(arguments: [
      id, account, terms.text.name, terms.text.description, terms.planned.kind, terms.planned.code, terms.planned.anchor,
      startDay, terms.endDay, next, transaction.now, try calendars.today(of: account, transaction), team,
    ])
    for participant in [account] + others { try Self.enrol(participant, in: id, database) }
    for other in others { try Self.notify(other, of: .enrolled, id, terms.text.name, by: account, transaction) }
    try advance(Self.find(id, for: account, in: database), isNew: true, transaction)
    return id
  }

  /// Changes a series's terms from today on.
  func edit(_ series: Stored, _ terms: TaskSeriesTerms, today: LocalDay, _ transaction: Transaction) throws {
    let database = transaction.database
    let hadToday = try Self.hasOccurrence(series.id, on: today, in: database)
    let from = max(series.startDay, hadToday ? today.advanced(by: 1) : today)
    let next = TaskSeriesRules.firstDay(terms.planned, from: from, until: terms.endDay)
    try database.cachedStatement(
      sql: """
        UPDATE task_series SET name = ?2, description = ?3, schedule_kind = ?4, schedule_code = ?5, anchor_day = ?6, end_day = ?7,
          next_day = ?8, next_at = iif(?8 IS NULL, NULL, ?9),
          removed_by = iif(name = ?2 AND description IS ?3, removed_by, NULL)
        WHERE series_id = ?1
        """
    ).execute(arguments: [
      series.id, terms.text.name, terms.text.description, terms.planned.kind, terms.planned.code, terms.planned.anchor,
      terms.endDay, next, transaction.now,
    ])
    if let creator = series.creator {
      try advance(Self.find(series.id, for: creator, in: database), transaction)
    }
  }

  /// Ends a series and notifies the others.
  static func end(_ series: Stored, by account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    try database.cachedStatement(sql: "UPDATE task_series SET \(ending) WHERE series_id = :series")
      .execute(arguments: ["series": series.id, "now": transaction.now])
    try notifyEnd(of: series, by: account, transaction)
  }

  /// Notifies the others that the creator has ended a series.
  static func notifyEnd(of series: Stored, by account: AccountID, _ transaction: Transaction) throws {
    for other in try accounts(of: series.id, in: transaction.database) where other != account {
      try notify(other, of: .ended, series.id, series.terms.text.name, by: account, transaction)
    }
  }

  static func notify(
    _ account: AccountID, of notice: TaskSeriesNotice, _ id: ID<TaskSeries>, _ name: TaskName, by other: AccountID,
    _ transaction: Transaction
  ) throws {
    guard try !transaction.database.isErased(account) else { return }
    if notice != .ended, try !TaskNoticeStore.count(for: account, in: .series(id), transaction) { return }
    try transaction.publish(
      TaskSeriesNoticeCreated(
        noticeID: ID(), accountID: account, seriesID: id, seriesName: name, notice: notice, byAccountID: other,
        byUsername: try Accounts.known(other, in: transaction.database).username, at: transaction.now))
  }
}

// MARK: - Occurrences

extension TaskSeriesStore {
  /// Advances the series that are due, at most so many, and returns how many there were.
  func advanceDue(limit: Int, _ transaction: Transaction) throws -> Int {
    let statement = try transaction.database.cachedStatement(
      sql: "SELECT * FROM task_series WHERE next_at <= ? ORDER BY next_at LIMIT ?")
    let due = try Row.fetchAll(statement, arguments: [transaction.now, limit]).map(Stored.init)
    for series in due { try advance(series, transaction) }
    return due.count
  }

  /// Finds the next day anew of those series that were advanced while the clock showed a day that is still to come, and returns how many.
  func putRight(limit: Int, _ transaction: Transaction) throws -> Int {
    let database = transaction.database
    // Wherever an account is, its today is at most one day later than that of UTC.
    let latest = LocalCalendar(calendars.zones.offsets("UTC"), dayStartHour: 0).day(of: transaction.now).advanced(by: 1)
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM task_series WHERE advanced_day > ? AND ended_at IS NULL LIMIT ?")
    let ahead = try Row.fetchAll(statement, arguments: [latest, limit]).map(Stored.init)
    for series in ahead {
      guard let creator = series.creator else { continue }
      let today = try calendars.calendarOrUTC(of: creator, in: database).day(of: transaction.now)
      let last = try LocalDay.fetchOne(
        database, sql: "SELECT max(series_day) FROM tasks WHERE series_id = ? AND series_day <= ?", arguments: [series.id, today])
      let next = TaskSeriesRules.firstDay(
        series.terms.planned, from: max(series.startDay, last?.advanced(by: 1) ?? today), until: series.terms.endDay)
      try Self.setNext(next, at: transaction.now, of: series.id, on: today, database)
    }
    return ahead.count
  }

  /// Creates the occurrence of a series that is due, if any, and notes when the next one will be.
  ///
  /// - Parameter isNew: whether the series was just created: its participants were notified of that already.
  private func advance(_ series: Stored, isNew: Bool = false, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let next = series.nextDay else { return }
    guard let creator = series.creator, try !database.isErased(creator) else {
      try database.cachedStatement(sql: "UPDATE task_series SET \(Self.ending) WHERE series_id = :series")
        .execute(arguments: ["series": series.id, "now": transaction.now])
      return
    }
    let calendar = try calendars.calendarOrUTC(of: creator, in: database)
    let today = calendar.day(of: transaction.now)
    let step = TaskSeriesRules.step(series.terms.planned, next: next, today: today, until: series.terms.endDay)
    if let day = step.occurrence, try !Self.hasOccurrence(series.id, on: day, in: database) {
      try addOccurrence(of: series, by: creator, on: day, isNew: isNew, transaction)
    }
    // Where clocks change, a day may begin a little later than it is thought to.
    let start = step.next.map { max(calendar.end(of: $0.advanced(by: -1)), transaction.now.adding(seconds: 60)) }
    try Self.setNext(step.next, at: start, of: series.id, on: today, database)
  }

  private static func setNext(
    _ day: LocalDay?, at instant: Instant?, of id: ID<TaskSeries>, on today: LocalDay, _ database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        UPDATE task_series SET next_day = ?2, next_at = iif(?2 IS NULL, NULL, ?3), advanced_day = ?4 WHERE series_id = ?1
        """
    ).execute(arguments: [id, day, instant, today])
  }

  /// Creates the task of a day, with the parts of the one before it, and cancels the oldest ones if too many are open. A suspended creator
  /// gets none. If the creator's text space is full, the task has only a name; if the team has as many open tasks as allowed, the task does
  /// not belong to it.
  private func addOccurrence(
    of stored: Stored, by creator: AccountID, on day: LocalDay, isNew: Bool, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    guard try Accounts.find(creator, in: database)?.isSuspended(at: transaction.now) == false else { return }
    let series = try Self.enrolTeam(of: stored, by: creator, transaction)
    let text = series.terms.text
    let isFull = try TaskSpaceStore.bytes(of: creator, in: database) + text.bytes > rules.bytesPerAccount
    let task = try TaskStore.add(
      TaskText(name: text.name, description: isFull ? nil : text.description, dueDay: day), by: creator,
      with: try Self.enrolled(in: series, by: creator, at: transaction.now, database),
      as: TaskOrigin(
        series: series.id, day: day, team: try series.team.flatMap { try TeamTaskStore.hasRoom(in: $0, database) ? $0 : nil },
        notice: isNew ? nil : .recurred), transaction)
    try TaskStore.carryRemoval(from: series.id, to: task, in: database)
    if let last = try Self.lastOccurrence(of: series.id, before: day, in: database) {
      let room = rules.bytesPerAccount - (try TaskSpaceStore.bytes(of: creator, in: database))
      try TaskPartStore.copy(from: last, to: task, by: creator, maxBytes: room, transaction)
    }
    for id in try Self.openOccurrences(of: series.id, in: database).dropFirst(TaskSeriesRules.maxOpenOccurrences) {
      if let task = try TaskStore.find(id, in: database) { try TaskStore.cancel(task, transaction) }
    }
  }

  /// The task of the last planned day before a day; nil where there is none.
  static func lastOccurrence(
    of id: ID<TaskSeries>, before day: LocalDay, in database: Database
  ) throws -> ID<SharedTask>? {
    let statement = try database.cachedStatement(
      sql: "SELECT task_id FROM tasks WHERE series_id = ? AND series_day < ? ORDER BY series_day DESC LIMIT 1")
    return try ID<SharedTask>.fetchOne(statement, arguments: [id, day])
  }

  private static func hasOccurrence(_ id: ID<TaskSeries>, on day: LocalDay, in database: Database) throws -> Bool {
    try database.first("SELECT 1 FROM tasks WHERE series_id = ? AND series_day = ?", .id(id), .day(day)) { _ in true } ?? false
  }

  /// The newest first.
  static func openOccurrences(of id: ID<TaskSeries>, in database: Database) throws -> [ID<SharedTask>] {
    let statement = try database.cachedStatement(
      sql: "SELECT task_id FROM tasks WHERE series_id = ? AND state = 'open' ORDER BY series_day DESC")
    return try ID<SharedTask>.fetchAll(statement, arguments: [id])
  }

  /// Makes the worker check an account's series again, since its days may now begin at other times.
  static func recheck(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE task_series SET next_at = ?2 WHERE creator_account = ?1 AND next_day IS NOT NULL", .id(account),
      .instant(transaction.now))
  }
}
