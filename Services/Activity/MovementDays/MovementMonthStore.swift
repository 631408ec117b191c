import ActivityContract
import GRDB
import Operations
import Storage

/// The movement of each month, so that years are read fast. It is derived from the days: when a day changes, its month is summed again.
enum MovementMonthStore {
  /// The table as ``MovementSampleStore/migration(_:)`` creates it.
  static let table = """
    -- The sums of each month's days, so that years are read quickly. Months are counted from January of year 0.
    CREATE TABLE movement_months (
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      month INTEGER NOT NULL,
      steps INTEGER NOT NULL,
      walking INTEGER NOT NULL,
      running INTEGER NOT NULL,
      cycling INTEGER NOT NULL,
      first_day INTEGER NOT NULL,
      best_day INTEGER NOT NULL,
      best_steps INTEGER NOT NULL,
      PRIMARY KEY (account_id, month)
    ) STRICT, WITHOUT ROWID;
    """

  struct Sum: Hashable, Sendable {
    var steps = 0
    var walking = 0
    var running = 0
    var cycling = 0
    var firstDay: LocalDay?
    var best: MovementState?

    /// Adds a day; days come oldest first.
    mutating func add(_ day: MovementState) {
      steps += day.steps
      walking += day.walking
      running += day.running
      cycling += day.cycling
      firstDay = firstDay ?? day.day
      if day.steps > best?.steps ?? 0 { best = day }
    }
  }

  /// The month's number, counted from January of year 0.
  static func month(of day: LocalDay) -> Int {
    let (year, month, _) = day.parts
    return year * 12 + month - 1
  }

  /// The first and the last day of a month.
  static func days(of month: Int) -> ClosedRange<LocalDay> {
    let (year, number) = (month / 12, month % 12 + 1)
    guard let first = LocalDay(year: year, month: number, day: 1) else { preconditionFailure("months are those of days") }
    return first...first.advanced(by: LocalDay.length(ofMonth: number, year: year) - 1)
  }

  /// Sums the months again.
  static func renew(_ months: Set<Int>, of account: AccountID, in database: Database) throws {
    for month in months {
      let days = days(of: month)
      var sum = Sum()
      for day in try MovementDayStore.list(of: account, from: days.lowerBound, to: days.upperBound, in: database) { sum.add(day) }
      let first = sum.firstDay ?? days.lowerBound
      try database.run(
        """
        INSERT OR REPLACE INTO movement_months
          (account_id, month, steps, walking, running, cycling, first_day, best_day, best_steps)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, .id(account), .number(month), .number(sum.steps), .number(sum.walking), .number(sum.running), .number(sum.cycling),
        .day(first), .day(sum.best?.day ?? first), .number(sum.best?.steps ?? 0))
    }
  }

  /// The sum of an account's movement in all earlier months.
  static func sum(of account: AccountID, before month: Int, in database: Database) throws -> Sum {
    var sum = Sum()
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM movement_months WHERE account_id = ? AND month < ? ORDER BY month")
    let rows = try Row.fetchCursor(statement, arguments: [account, month])
    while let row = try rows.next() {
      sum.steps += row["steps"]
      sum.walking += row["walking"]
      sum.running += row["running"]
      sum.cycling += row["cycling"]
      sum.firstDay = sum.firstDay ?? row["first_day"]
      if row["best_steps"] > sum.best?.steps ?? 0 {
        var best = MovementState(day: row["best_day"])
        best.steps = row["best_steps"]
        sum.best = best
      }
    }
    return sum
  }
}
