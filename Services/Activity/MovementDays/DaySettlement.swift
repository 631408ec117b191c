import ActivityContract
import GRDB
import Operations
import Storage

/// Brings an account's days up to date with its samples: gathers what a transaction does to these, and settles it at the end.
///
/// Where no other source measured at the time of new samples, which is nearly always, their shares are added to the days and their minutes;
/// else, and where samples were taken away, the days concerned are counted anew from all their samples. Both come to the same.
struct DaySettlement {
  private let account: MovementAccount
  private let recordedDay: LocalDay
  private let rules: FairnessRules
  private let transaction: Transaction
  private var parts: [PartKey: Part] = [:]
  /// A batch's samples are mostly of the same day and source as the one before.
  private var last: (key: PartKey, part: Part)?
  private var removed: [DayKey: Range<Int64>] = [:]
  private var series: [LocalDay: SeriesDigest] = [:]
  private var recounted: Set<DayKey> = []

  /// A day's movement of one kind.
  struct DayKey: Hashable, Sendable {
    let kind: MovementKind
    let day: LocalDay
  }

  private struct PartKey: Hashable {
    let day: DayKey
    let source: Int64
  }

  /// What one source adds to a day.
  private struct Part {
    var count = OverlapRules.Count()
    var from: Int64
    var until: Int64
    var series = SeriesDigest()

    mutating func add(_ piece: Spread.Piece, of spread: Spread, _ flags: SampleFlags) {
      from = min(from, piece.from)
      until = max(until, piece.until)
      count.add(piece, of: spread, flags)
      // A sample is part of the series of its first day.
      if piece.elapsed == 0 { series.add(spread) }
    }
  }

  init(of account: MovementAccount, recordedDay: LocalDay, by rules: FairnessRules, _ transaction: Transaction) {
    self.account = account
    self.recordedDay = recordedDay
    self.rules = rules
    self.transaction = transaction
  }

  /// A sample was kept.
  mutating func add(_ spread: Spread, kind: MovementKind, source: Int64, _ flags: SampleFlags) {
    spread.forEachPiece { piece in
      let key = PartKey(day: DayKey(kind: kind, day: piece.day), source: source)
      if last?.key != key {
        store()
        last = (key, parts.removeValue(forKey: key) ?? Part(from: piece.from, until: piece.until))
      }
      last?.part.add(piece, of: spread, flags)
    }
  }

  /// A sample was taken away.
  mutating func remove(_ spread: Spread, kind: MovementKind) {
    if kind == .steps { series[spread.day, default: SeriesDigest()].remove(spread) }
    spread.forEachPiece { piece in
      let key = DayKey(kind: kind, day: piece.day)
      let before = removed[key] ?? piece.from..<piece.until
      removed[key] = min(before.lowerBound, piece.from)..<max(before.upperBound, piece.until)
    }
  }

  /// A day is to be counted anew.
  mutating func recount(_ day: DayKey) { recounted.insert(day) }

  /// Changes the days, publishes them, and lets goals and tied activities follow.
  ///
  /// - Returns: the days that are changed, as they stand now.
  mutating func settle() throws -> [MovementState] {
    store()
    let database = transaction.database
    let minutes = try minutes(in: database)
    for (key, part) in parts { try widen(key, part, in: database) }
    for (key, part) in parts where try isContested(key, part, in: database) {
      recounted.formUnion(try touched(key.day, part.from..<part.until, in: database))
    }
    for (key, range) in removed { recounted.formUnion(try touched(key, range, in: database).union([key])) }
    var added: [DayKey: OverlapRules.Count] = [:]
    for (key, part) in parts {
      if key.day.kind == .steps { series[key.day.day, default: SeriesDigest()].add(part.series) }
      if !recounted.contains(key.day) { added[key.day, default: OverlapRules.Count()].add(part.count) }
    }
    var changes: [LocalDay: [MovementKind: DayChange]] = [:]
    for (key, count) in added {
      changes[key.day, default: [:]][key.kind] = .add(try evaluate(count, key, after: minutes[key], in: database))
    }
    if !recounted.isEmpty {
      let count = try DayCount(of: account.number, in: database)
      for key in recounted {
        changes[key.day, default: [:]][key.kind] = .set(try evaluate(try count.count(key), key, in: database))
      }
    }
    let firstOpenDay = rules.firstOpenDay(on: recordedDay)
    var isCopy: [LocalDay: Bool] = [:]
    for (day, digest) in series where !digest.isEmpty {
      isCopy[day] = try MovementSeriesStore.change(
        day, of: account.number, by: digest, minimum: rules.minSeries, isOpen: day >= firstOpenDay, in: database)
      if changes[day]?[.steps] == nil { changes[day, default: [:]][.steps] = .add(EvaluatedCount()) }
    }
    let states = try changes.sorted { $0.key < $1.key }.compactMap { day, kinds in
      try MovementDayStore.change(
        day, of: account.id, by: kinds, isCopy: isCopy[day], recordedDay: recordedDay, rules, transaction)
    }
    try MovementMinuteStore.forget(before: firstOpenDay, of: account.number, in: database)
    try MovementSeriesStore.forget(before: firstOpenDay, of: account.number, in: database)
    guard !states.isEmpty else { return [] }
    try transaction.publish(
      MovementChanged(accountID: account.id, recordedDay: recordedDay, days: states.map(\.published)))
    try MovementMonthStore.renew(Set(states.map { MovementMonthStore.month(of: $0.day) }), of: account.id, in: database)
    try StepGoalStore.follow(states.map(\.day), of: account.id, today: recordedDay, transaction)
    try TieStore.follow(states, of: account.id, today: recordedDay, transaction)
    return states
  }

  private mutating func store() {
    if let last { parts[last.key] = last.part }
    last = nil
  }

  /// The minutes of the days to which samples add that may earn. Days whose minutes should be there and are not are to be counted anew.
  private mutating func minutes(in database: Database) throws -> [DayKey: MinuteSums] {
    var minutes: [DayKey: MinuteSums] = [:]
    for (key, part) in parts where !part.count.minutes.isEmpty && minutes[key.day] == nil {
      if let known = try MovementMinuteStore.find(key.day, of: account.number, in: database) {
        minutes[key.day] = known
      } else if try isMeasured(key.day, in: database) {
        recounted.insert(key.day)
      }
    }
    return minutes
  }

  /// Looks what of the day may earn once samples are added.
  ///
  /// - Parameter known: the minutes of what was counted before; nil where there was nothing.
  private func evaluate(_ added: OverlapRules.Count, _ key: DayKey, after known: MinuteSums?, in database: Database) throws
    -> EvaluatedCount
  {
    // What is marked sample by sample is in no minute.
    guard !added.minutes.isEmpty else { return EvaluatedCount(amount: added.amount, flags: added.flags) }
    var whole = added
    if let known { whole.minutes.add(known) }
    return try evaluate(whole, key, in: database)
  }

  /// Looks what of the day may earn, and keeps its minutes.
  private func evaluate(_ count: OverlapRules.Count, _ key: DayKey, in database: Database) throws -> EvaluatedCount {
    if count.minutes.isEmpty || key.day < rules.firstOpenDay(on: recordedDay) {
      try MovementMinuteStore.forget(key, of: account.number, in: database)
    } else {
      try MovementMinuteStore.keep(count.minutes, key, of: account.number, in: database)
    }
    let (plausible, flags) = rules.evaluate(count.minutes, key.kind)
    return EvaluatedCount(amount: count.amount, flags: count.flags.union(flags), plausible: plausible)
  }

  /// Whether anything was measured on the day before.
  private func isMeasured(_ key: DayKey, in database: Database) throws -> Bool {
    try database.first(
      "SELECT 1 FROM movement_day_sources WHERE account_number = ? AND kind = ? AND day = ? LIMIT 1", .integer(account.number),
      .number(key.kind.number), .day(key.day)
    ) { _ in true } ?? false
  }

  /// Notes that the source measured on the day between these times.
  private func widen(_ key: PartKey, _ part: Part, in database: Database) throws {
    try database.run(
      """
      INSERT INTO movement_day_sources (account_number, kind, day, source_number, from_at, until_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET from_at = min(from_at, excluded.from_at), until_at = max(until_at, excluded.until_at)
      """, .integer(account.number), .number(key.day.kind.number), .day(key.day.day), .integer(key.source), .integer(part.from),
      .integer(part.until))
  }

  /// Whether another source may have measured at the time of the part. The same time may lie in another day for it, where the
  /// account travelled in between.
  private func isContested(_ key: PartKey, _ part: Part, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM movement_day_sources
      WHERE account_number = ? AND kind = ? AND day BETWEEN ? AND ? AND source_number <> ? AND from_at < ? AND until_at > ?
      LIMIT 1
      """, .integer(account.number), .number(key.day.kind.number), .day(key.day.day.advanced(by: -2)),
      .day(key.day.day.advanced(by: 2)), .integer(key.source), .integer(part.until), .integer(part.from)
    ) { _ in true } ?? false
  }

  /// The days on which anything may have been measured at that time.
  private func touched(_ key: DayKey, _ time: Range<Int64>, in database: Database) throws -> Set<DayKey> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT DISTINCT day FROM movement_day_sources
        WHERE account_number = ? AND kind = ? AND day BETWEEN ? AND ? AND from_at < ? AND until_at > ?
        """)
    let days = try LocalDay.fetchAll(
      statement,
      arguments: [
        account.number, key.kind.number, key.day.advanced(by: -2), key.day.advanced(by: 2), time.upperBound, time.lowerBound,
      ])
    return Set(days.map { DayKey(kind: key.kind, day: $0) })
  }
}

/// A count of a day's movement of one kind, and what of it earns nothing.
struct EvaluatedCount {
  var amount = 0
  var flags: SampleFlags = []
  /// What of the whole day is not marked; nil where that is as before.
  var plausible: Int?
}

/// How a day's movement of one kind changes.
enum DayChange {
  /// By so much more.
  case add(EvaluatedCount)
  /// To this, whatever it was.
  case set(EvaluatedCount)
}
