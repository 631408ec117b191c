import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The movement of each day.
enum MovementDayStore {
  /// Changes a day, and keeps on which local day the change was recorded.
  ///
  /// The new revision is the time in milliseconds, or one more than the last revision where that is greater: so it grows even after the
  /// store was restored from an older copy.
  ///
  /// - Parameter isCopy: whether the day's steps are those of another account; nil to leave that unchanged.
  /// - Returns: the day as it stands now; nil where nothing changed.
  static func change(
    _ day: LocalDay, of account: AccountID, by changes: [MovementKind: DayChange], isCopy: Bool?, recordedDay: LocalDay,
    _ rules: FairnessRules, _ transaction: Transaction
  ) throws -> MovementState? {
    let before = try find(day, of: account, in: transaction.database)
    var after = before ?? MovementState(day: day)
    for (kind, change) in changes {
      var flags = after.flags[kind]
      let evaluated: EvaluatedCount
      switch change {
      case .add(let more):
        evaluated = more
        after[kind] += more.amount
        flags.formUnion(more.flags)
      case .set(let whole):
        evaluated = whole
        after[kind] = whole.amount
        flags = whole.flags.union(flags.intersection(.ofDays))
      }
      if let plausible = evaluated.plausible { after[plausible: kind] = plausible }
      flags.remove(SampleFlags(.tooMuch))
      flags.formUnion(rules.dayFlags(kind: kind, amount: kind == .steps ? after.plausibleSteps : after[kind]))
      if kind == .steps, let isCopy {
        if isCopy { flags.insert(SampleFlags(.sameSeries)) } else { flags.remove(SampleFlags(.sameSeries)) }
      }
      after.flags[kind] = flags
    }
    guard after != before ?? MovementState(day: day) else { return nil }
    after.revision = max(after.revision + 1, Int(transaction.now.milliseconds))
    try transaction.database.run(
      """
      INSERT INTO movement_days
        (account_id, day, recorded_day, steps, walking, running, cycling, plausible_steps, plausible_walking,
          plausible_running, plausible_cycling, flags, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (account_id, day, recorded_day) DO UPDATE SET
        steps = excluded.steps, walking = excluded.walking, running = excluded.running, cycling = excluded.cycling,
        plausible_steps = excluded.plausible_steps, plausible_walking = excluded.plausible_walking,
        plausible_running = excluded.plausible_running, plausible_cycling = excluded.plausible_cycling, flags = excluded.flags,
        revision = excluded.revision
      """, .id(account), .day(day), .day(recordedDay), .number(after.steps), .number(after.walking), .number(after.running),
      .number(after.cycling), .number(after.plausibleSteps), .number(after.plausibleWalking), .number(after.plausibleRunning),
      .number(after.plausibleCycling), .number(after.flags.rawValue), .number(after.revision))
    return after
  }

  /// The columns that a ``MovementState`` is read from, which are followed by the revision.
  private static let columns = """
    day, steps, walking, running, cycling, plausible_steps, plausible_walking, plausible_running, plausible_cycling, flags
    """

  /// The day as it stands; nil where nothing was ever measured.
  static func find(_ day: LocalDay, of account: AccountID, in database: Database) throws -> MovementState? {
    try database.first(
      "SELECT \(columns), revision FROM movement_days WHERE account_id = ? AND day = ? ORDER BY revision DESC LIMIT 1",
      .id(account), .day(day), read: MovementState.init)
  }

  /// The days on which anything was measured, oldest first.
  static func list(of account: AccountID, from: LocalDay, to: LocalDay, in database: Database) throws -> [MovementState] {
    // With max(), bare columns have the values of the row with the maximum (sqlite.org/lang_select.html, "Bare columns in an aggregate
    // query").
    var found: [MovementState] = []
    try database.each(
      """
      SELECT \(columns), max(revision) FROM movement_days WHERE account_id = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day
      """, .id(account), .day(from), .day(to)
    ) { row in
      found.append(MovementState(row))
      return true
    }
    return found
  }

  /// All totals as events, after the key `<account>/<day>/<recorded day>`; see `SnapshotParts`.
  ///
  /// A day is published as it stood on each day on which it was recorded, so that a subscriber that needs to know how late steps arrived
  /// gets the same result as one that received every event. A history of decades that was recorded on one day is several events.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(separator: "/").map(String.init) ?? []
    let account = try pieces.count == 3 ? AccountID(text: pieces[0]) : .placeholder
    let day = try pieces.count == 3 ? LocalDay(text: pieces[1]) : .placeholder
    let recordedDay = try pieces.count == 3 ? LocalDay(text: pieces[2]) : .placeholder
    var (events, lastKey, count): ([MovementDaysChanged], String?, Int) = ([], nil, 0)
    try database.each(
      """
      SELECT \(columns), revision, account_id, recorded_day FROM movement_days
      WHERE (account_id, day, recorded_day) > (?, ?, ?) ORDER BY account_id, day, recorded_day LIMIT ?
      """, .id(account), .day(day), .day(recordedDay), .number(SnapshotParts.pageSize)
    ) { row in
      let (account, recordedDay): (AccountID, LocalDay) = (try row.id(11), row.day(12))
      if events.last?.accountID != account || events.last?.recordedDay != recordedDay {
        events.append(MovementDaysChanged(accountID: account, recordedDay: recordedDay, days: []))
      }
      let state = MovementState(row)
      events[events.count - 1].days.append(state.published)
      count += 1
      if count == SnapshotParts.pageSize { lastKey = "\(account)/\(state.day)/\(recordedDay)" }
      return true
    }
    return (events, lastKey)
  }
}
