import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// What counts for each account: by day, in total, and by activity, task and team. Each fact is stored as a state, so that a repeated event
/// changes nothing.
enum ChallengeFactStore {
  private static let columns = "steps, walking, running, cycling, entries, tasks, helps"

  /// A day's facts, with the revision of its movement.
  struct Day: Hashable, Sendable {
    var facts = DayFacts()
    var revision = 0
  }

  /// The totals of all of an account's days.
  struct Totals: Hashable, Sendable {
    var facts = DayFacts()
    /// The awards that are withheld.
    var held = HeldAwards.nothing
  }

  static func day(_ day: LocalDay, of account: AccountID, in database: Database) throws -> Day? {
    try database.first(
      "SELECT \(columns), revision FROM challenge_days WHERE account_id = ? AND day = ?", .id(account), .day(day)
    ) { Day(facts: DayFacts($0), revision: $0.number(7)) }
  }

  /// Returns those of the days for which facts are stored.
  static func days(
    _ days: ClosedRange<LocalDay>, of account: AccountID, in database: Database
  ) throws -> [LocalDay: Day] {
    var found: [LocalDay: Day] = [:]
    try database.each(
      "SELECT \(columns), revision, day FROM challenge_days WHERE account_id = ? AND day BETWEEN ? AND ?", .id(account),
      .day(days.lowerBound), .day(days.upperBound)
    ) {
      found[$0.day(8)] = Day(facts: DayFacts($0), revision: $0.number(7))
      return true
    }
    return found
  }

  /// Replaces a day. The account's totals do not include the change until ``add(_:of:in:)``.
  static func put(_ day: LocalDay, _ new: Day, of account: AccountID, in database: Database) throws {
    let facts = new.facts
    try database.run(
      """
      INSERT INTO challenge_days (account_id, day, \(columns), revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (account_id, day) DO UPDATE SET steps = excluded.steps, walking = excluded.walking, running = excluded.running,
        cycling = excluded.cycling, entries = excluded.entries, tasks = excluded.tasks, helps = excluded.helps,
        revision = excluded.revision
      """, .id(account), .day(day), .number(facts.steps), .number(facts.walking), .number(facts.running), .number(facts.cycling),
      .number(facts.entries), .number(facts.tasks), .number(facts.helps), .number(new.revision))
  }

  /// Adds changes of days to the account's totals.
  ///
  /// - Returns: the new totals.
  static func add(_ changes: [DayChange], of account: AccountID, in database: Database) throws -> Totals {
    var totals = try ensureTotals(of: account, in: database)
    for change in changes { totals.facts = totals.facts.adding(change.after, instead: change.before) }
    let facts = totals.facts
    try database.run(
      """
      UPDATE challenge_totals SET steps = ?, walking = ?, running = ?, cycling = ?, entries = ?, tasks = ?, helps = ?
      WHERE account_id = ?
      """, .number(facts.steps), .number(facts.walking), .number(facts.running), .number(facts.cycling), .number(facts.entries),
      .number(facts.tasks), .number(facts.helps), .id(account))
    return totals
  }

  /// Changes a day's count of tasks, help or entries. The account's totals do not include the change until ``add(_:of:in:)``.
  static func change(
    _ path: WritableKeyPath<DayFacts, Int>, by count: Int, on day: LocalDay, of account: AccountID, in database: Database
  ) throws -> DayChange {
    let before = try self.day(day, of: account, in: database) ?? Day()
    var after = before
    after.facts[keyPath: path] += count
    try put(day, after, of: account, in: database)
    return DayChange(day: day, before: before.facts, after: after.facts)
  }

  /// Ensures that later definitions count the account.
  ///
  /// - Returns: the account's totals.
  @discardableResult
  static func ensureTotals(of account: AccountID, in database: Database) throws -> Totals {
    if let totals = try totals(of: account, in: database) { return totals }
    try database.run("INSERT INTO challenge_totals (account_id) VALUES (?)", .id(account))
    return Totals()
  }

  static func totals(of account: AccountID, in database: Database) throws -> Totals? {
    try database.first("SELECT \(columns), held FROM challenge_totals WHERE account_id = ?", .id(account)) {
      Totals(facts: DayFacts($0), held: try $0.choice(7))
    }
  }

  /// Records which awards are withheld.
  static func hold(_ held: HeldAwards, of account: AccountID, in database: Database) throws {
    try database.run("UPDATE challenge_totals SET held = ? WHERE account_id = ?", .text(held.rawValue), .id(account))
  }

  /// Returns the next accounts with any facts, by id.
  static func accounts(after account: AccountID, limit: Int, in database: Database) throws -> [AccountID] {
    var found: [AccountID] = []
    try database.each(
      "SELECT account_id FROM challenge_totals WHERE account_id > ? ORDER BY account_id LIMIT ?", .id(account), .number(limit)
    ) {
      found.append(try $0.id(0))
      return true
    }
    return found
  }

  // MARK: - By days

  private static let sumSQL: String = {
    let sums = ["steps", "walking", "running", "cycling", "entries", "tasks", "helps"].map { "coalesce(sum(\($0)), 0)" }
    return "SELECT \(sums.joined(separator: ", ")) FROM challenge_days WHERE account_id = ? AND day BETWEEN ? AND ?"
  }()

  /// Returns the sum of some days.
  static func sum(_ days: ClosedRange<LocalDay>, of account: AccountID, in database: Database) throws -> DayFacts {
    try database.first(sumSQL, .id(account), .day(days.lowerBound), .day(days.upperBound), read: { DayFacts($0) }) ?? DayFacts()
  }

  /// Returns the amount of a metric on each day, oldest first; days without any are left out.
  static func amounts(of metric: ChallengeMetric, _ account: AccountID, in database: Database) throws -> [DayAmount] {
    guard let column = metric.column else { return [] }
    var found: [DayAmount] = []
    try database.each(
      "SELECT day, \(column) FROM challenge_days WHERE account_id = ? AND \(column) > 0 ORDER BY day", .id(account)
    ) {
      found.append(DayAmount(day: $0.day(0), amount: $0.number(1)))
      return true
    }
    return found
  }

  /// Returns the row of consecutive days around a day, that day included, with so many steps each; nil where the day has fewer.
  ///
  /// - Parameter counted: limits the row to these days.
  static func row(
    around day: LocalDay, stepsPerDay: Int, in counted: ClosedRange<LocalDay>, of account: AccountID, _ database: Database
  ) throws -> ClosedRange<LocalDay>? {
    guard counted.contains(day), let facts = try self.day(day, of: account, in: database)?.facts, facts.steps >= stepsPerDay
    else {
      return nil
    }
    var (first, last) = (day, day)
    try database.each(
      "SELECT day FROM challenge_days WHERE account_id = ? AND day < ? AND day >= ? AND steps >= ? ORDER BY day DESC",
      .id(account),
      .day(day), .day(counted.lowerBound), .number(stepsPerDay)
    ) {
      guard $0.day(0) == first.advanced(by: -1) else { return false }
      first = $0.day(0)
      return true
    }
    try database.each(
      "SELECT day FROM challenge_days WHERE account_id = ? AND day > ? AND day <= ? AND steps >= ? ORDER BY day", .id(account),
      .day(day), .day(counted.upperBound), .number(stepsPerDay)
    ) {
      guard $0.day(0) == last.advanced(by: 1) else { return false }
      last = $0.day(0)
      return true
    }
    return first...last
  }
}

/// The awards that are withheld from an account.
enum HeldAwards: String, Choice {
  case nothing
  /// Awards for measured movement, because consent is missing.
  case movement
  /// All awards, while the account is suspended or unknown.
  case all
}

/// The facts of a day before and after a change.
struct DayChange: Hashable, Sendable {
  let day: LocalDay
  let before: DayFacts
  let after: DayFacts
}

extension DayFacts {
  /// These totals after a day's facts were replaced.
  func adding(_ after: DayFacts, instead before: DayFacts) -> DayFacts {
    DayFacts(
      steps: steps + after.steps - before.steps, walking: walking + after.walking - before.walking,
      running: running + after.running - before.running, cycling: cycling + after.cycling - before.cycling,
      entries: entries + after.entries - before.entries, tasks: tasks + after.tasks - before.tasks,
      helps: helps + after.helps - before.helps)
  }

  /// Creates the facts from the first columns of a row.
  init(_ columns: Columns) {
    self.init(
      steps: columns.number(0), walking: columns.number(1), running: columns.number(2), cycling: columns.number(3),
      entries: columns.number(4), tasks: columns.number(5), helps: columns.number(6))
  }
}
