import ActivityContract
import GRDB
import Operations
import Storage

/// Brings an account's days up to date with its samples: collects the changes of a transaction, and applies them at the end.
///
/// Where no other source measured at the time of new samples, which is nearly always the case, their shares are added to the days and their
/// minutes. Otherwise, and where samples were removed, the affected days are counted again from all their samples. Both give the same
/// result.
struct DaySettlement {
  private let account: MovementAccount
  private let recordedDay: LocalDay
  private let rules: FairnessRules
  private let transaction: Transaction
  private var parts: [PartKey: Part] = [:]
  /// Most samples of a batch are of the same day and source as the one before.
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

  /// Records that a sample was added.
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

  /// Records that a sample was removed.
  mutating func remove(_ spread: Spread, kind: MovementKind) {
    if kind == .steps { series[spread.day, default: SeriesDigest()].remove(spread) }
    spread.forEachPiece { piece in
      let key = DayKey(kind: kind, day: piece.day)
      let before = removed[key] ?? piece.from..<piece.until
      removed[key] = min(before.lowerBound, piece.from)..<max(before.upperBound, piece.until)
    }
  }

  /// Marks a day to be counted again.
  mutating func recount(_ day: DayKey) { recounted.insert(day) }

  /// Updates the days, publishes them, and updates goals and tied activities.
  ///
  /// - Returns: the days that changed, as they stand now.
  mutating func settle() throws -> [MovementState] {
    store()
    let database = transaction.database
    let minutes = try minutes(in: database)
    for (key, part) in parts {
      try MovementDayStore.widen(key.day, of: key.source, account.number, from: part.from, until: part.until, in: database)
    }
    for (key, part) in parts {
      let time = part.from..<part.until
      guard try MovementDayStore.isContested(key.day, time, of: key.source, account.number, in: database) else { continue }
      recounted.formUnion(try MovementDayStore.measured(key.day, time, of: account.number, in: database))
    }
    for (key, range) in removed {
      recounted.formUnion(try MovementDayStore.measured(key, range, of: account.number, in: database).union([key]))
    }
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
      MovementDaysChanged(accountID: account.id, recordedDay: recordedDay, days: states.map(\.published)))
    try MovementMonthStore.renew(Set(states.map { MovementMonthStore.month(of: $0.day) }), of: account.id, in: database)
    try StepGoalStore.follow(states.map(\.day), of: account.id, today: recordedDay, by: rules.stepGoals, transaction)
    try InactivityStore.end(states, of: account.id, today: recordedDay, transaction)
    try MovementTieStore.follow(states, of: account.id, today: recordedDay, transaction)
    return states
  }

  private mutating func store() {
    if let last { parts[last.key] = last.part }
    last = nil
  }

  /// The minutes of the days to which earning samples are added. Days whose minutes are missing are marked to be counted again.
  private mutating func minutes(in database: Database) throws -> [DayKey: MinuteSums] {
    var minutes: [DayKey: MinuteSums] = [:]
    for (key, part) in parts where !part.count.minutes.isEmpty && minutes[key.day] == nil {
      if let known = try MovementMinuteStore.find(key.day, of: account.number, in: database) {
        minutes[key.day] = known
      } else if try MovementDayStore.isMeasured(key.day, of: account.number, in: database) {
        recounted.insert(key.day)
      }
    }
    return minutes
  }

  /// Evaluates what of the day may earn once samples are added.
  ///
  /// - Parameter known: the minutes counted before; nil where there were none.
  private func evaluate(_ added: OverlapRules.Count, _ key: DayKey, after known: MinuteSums?, in database: Database) throws
    -> EvaluatedCount
  {
    // Movement of flagged samples is in no minute.
    guard !added.minutes.isEmpty else { return EvaluatedCount(amount: added.amount, flags: added.flags) }
    var whole = added
    if let known { whole.minutes.add(known) }
    return try evaluate(whole, key, in: database)
  }

  /// Evaluates what of the day may earn, and stores its minutes.
  private func evaluate(_ count: OverlapRules.Count, _ key: DayKey, in database: Database) throws -> EvaluatedCount {
    if count.minutes.isEmpty || key.day < rules.firstOpenDay(on: recordedDay) {
      try MovementMinuteStore.forget(key, of: account.number, in: database)
    } else {
      try MovementMinuteStore.keep(count.minutes, key, of: account.number, in: database)
    }
    let (plausible, flags) = rules.evaluate(count.minutes, key.kind)
    return EvaluatedCount(amount: count.amount, flags: count.flags.union(flags), plausible: plausible)
  }
}

/// The amount of a day's movement of one kind, and which part of it earns nothing.
struct EvaluatedCount {
  var amount = 0
  var flags: SampleFlags = []
  /// The unflagged amount of the whole day; nil where it is unchanged.
  var plausible: Int?
}

/// A change of a day's movement of one kind.
enum DayChange {
  /// Adds this.
  case add(EvaluatedCount)
  /// Replaces the day's movement by this.
  case set(EvaluatedCount)
}
