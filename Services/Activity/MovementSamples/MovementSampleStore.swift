import ActivityContract
import GRDB
import Operations
import Storage

/// The samples of all accounts, each split by local day as it was on arrival.
enum MovementSampleStore {
  /// The result of a batch.
  struct Outcome: Sendable {
    var accepted = 0
    var repeated = 0
    var replaced = 0
    var rejected: [RejectedSample] = []
    /// The samples that were accepted and are flagged.
    var flagged: [(sample: FlaggedSample, kind: MovementKind, flags: SampleFlags)] = []
    /// The days that changed, as they stand now.
    var days: [MovementState] = []
  }

  /// The result of a deletion.
  struct Deletion: Sendable {
    var deleted = 0
    /// The ids for which there is no sample, or no longer one.
    var unknown: [String] = []
    /// The days that changed, as they stand now.
    var days: [MovementState] = []
  }

  /// Stores the new samples of a batch, updates the days' totals and publishes them once.
  ///
  /// - Parameter recordedDay: the account's present local day.
  static func record(
    _ assigned: [PreparedSample], of account: AccountID, recordedDay: LocalDay, by rules: FairnessRules,
    _ transaction: Transaction
  ) throws -> Outcome {
    let database = transaction.database
    let account = try MovementAccountStore.findOrAdd(account, in: database)
    var sources = MovementSourceNumbers(of: account.number, in: database)
    var settlement = DaySettlement(of: account, recordedDay: recordedDay, by: rules, transaction)
    var outcome = Outcome()
    var insertion = try Insertion(of: account.number, in: database)
    for item in assigned {
      guard let source = try sources.number(item.sample) else {
        outcome.rejected.append(RejectedSample(index: item.index, id: item.sample.id, code: .tooManySources))
        continue
      }
      switch try insertion.insert(item, source: source) {
      case .inserted: outcome.accepted += 1
      case .full:
        outcome.rejected.append(RejectedSample(index: item.index, id: item.sample.id, code: .tooMany))
        continue
      case .present:
        guard let present = try find(item.sample.id, of: account.number, in: database) else { continue }
        switch present.evaluate(item, source: source) {
        case .repeated:
          outcome.repeated += 1
          continue
        case .rejected(let code):
          outcome.rejected.append(RejectedSample(index: item.index, id: item.sample.id, code: code))
          continue
        case .replaces:
          guard
            try insertion.replace(
              at: present.position, wasDeleted: present.isDeleted, with: item, source: source)
          else {
            outcome.rejected.append(RejectedSample(index: item.index, id: item.sample.id, code: .tooMany))
            continue
          }
          outcome.replaced += 1
          if !present.isDeleted { settlement.remove(present.spread, kind: present.kind) }
        }
      }
      settlement.add(item.spread, kind: item.sample.kind, source: source, item.flags)
      if !item.flags.isEmpty {
        let flagged = FlaggedSample(index: item.index, id: item.sample.id, codes: item.flags.list)
        outcome.flagged.append((flagged, item.sample.kind, item.flags))
      }
    }
    outcome.days = try settlement.settle()
    return outcome
  }

  /// Deletes samples, updates the days' totals and publishes them once. Their ids and versions are kept, so only a later version brings a
  /// sample back.
  static func delete(
    _ ids: [String], of account: AccountID, recordedDay: LocalDay, by rules: FairnessRules, _ transaction: Transaction
  ) throws -> Deletion {
    let database = transaction.database
    guard let account = try MovementAccountStore.find(account, in: database) else { return Deletion(unknown: ids) }
    var settlement = DaySettlement(of: account, recordedDay: recordedDay, by: rules, transaction)
    var deletion = Deletion()
    for id in ids {
      guard let present = try find(id, of: account.number, in: database), !present.isDeleted else {
        deletion.unknown.append(id)
        continue
      }
      try database.run(
        "DELETE FROM movement_sample_pieces WHERE account_number = ? AND sample_id = ?", .integer(account.number), .text(id))
      try database.run(
        """
        UPDATE movement_samples SET start_at = 0, end_at = 0, amount = 0, flags = 0, form = 2
        WHERE account_number = ? AND sample_id = ?
        """, .integer(account.number), .text(id))
      settlement.remove(present.spread, kind: present.kind)
      deletion.deleted += 1
    }
    deletion.days = try settlement.settle()
    return deletion
  }

  /// The days that change where a sample is removed, the first one first; none where there is no sample of that id, or no longer one.
  static func days(of id: String, _ account: Int64, in database: Database) throws -> [DaySettlement.DayKey] {
    try database.first(
      "SELECT position, form FROM movement_samples WHERE account_number = ? AND sample_id = ? AND form < 2", .integer(account),
      .text(id)
    ) { columns -> [DaySettlement.DayKey] in
      let key = Int64(columns.number(0))
      let first = DaySettlement.DayKey(kind: SampleKey.kind(key), day: SampleKey.day(key))
      // One that is in several days ends on the next one, hardly ever later.
      return columns.number(1) == 0 ? [first] : [first, DaySettlement.DayKey(kind: first.kind, day: first.day.advanced(by: 1))]
    } ?? []
  }

  /// How many samples are read, at most, where a day is counted again: those that start on it or on the two days before, see ``DayCount``.
  static func samples(around key: DaySettlement.DayKey, _ account: Int64, in database: Database) throws -> Int64 {
    let first = max(key.day.advanced(by: -2), SampleKey.firstDay)
    var samples: Int64 = 0
    for later in 0...first.distance(to: key.day) {
      samples += try usedKeys(from: SampleKey(account: account, kind: key.kind, day: first.advanced(by: later)), in: database)
    }
    return samples
  }

  /// The number of keys of a day that have been used, at least as many as its samples.
  static func usedKeys(from first: SampleKey, in database: Database) throws -> Int64 {
    let last = try database.first(
      "SELECT ifnull(max(position), ?1 - 1) FROM movement_samples WHERE position >= ?1 AND position < ?2",
      .integer(first.ofDay.lowerBound), .integer(first.ofDay.upperBound)
    ) { Int64($0.number(0)) }
    return last.map { $0 + 1 - first.rawValue } ?? 0
  }

  private static func find(_ id: String, of account: Int64, in database: Database) throws -> PresentSample? {
    try database.first(
      """
      SELECT position, start_at, end_at, amount, source_number, version, form FROM movement_samples
      WHERE account_number = ? AND sample_id = ?
      """, .integer(account), .text(id)
    ) { columns in
      let (key, form) = (Int64(columns.number(0)), columns.number(6))
      let (from, end) = (Int64(columns.number(1)), Int64(columns.number(2)))
      return PresentSample(
        position: key, kind: SampleKey.kind(key), end: end, source: Int64(columns.number(4)), version: columns.number(5),
        isDeleted: form == 2,
        spread: Spread(
          amount: columns.number(3), from: from, until: max(end, from + 1), day: SampleKey.day(key),
          pieces: form == 1 ? try pieces(of: id, account, in: database) : []))
    }
  }

  /// Reads the samples that start on some days and overlap a time, with their sources' numbers.
  static func each(
    of account: Int64, _ kind: MovementKind, beginning days: ClosedRange<LocalDay>, from: Int64, until: Int64,
    in database: Database, _ body: (_ source: Int64, Spread, SampleFlags) -> Void
  ) throws {
    let first = SampleKey(account: account, kind: kind, day: days.lowerBound)
    let last = SampleKey(account: account, kind: kind, day: days.upperBound)
    try database.each(
      """
      SELECT position, start_at, end_at, amount, source_number, flags, form, sample_id FROM movement_samples
      WHERE position >= ? AND position < ? AND start_at < ? AND end_at >= ? AND form < 2
      """, .integer(first.rawValue), .integer(last.ofDay.upperBound), .integer(until), .integer(from)
    ) { columns in
      let (start, end) = (Int64(columns.number(1)), Int64(columns.number(2)))
      let pieces = columns.number(6) == 1 ? try MovementSampleStore.pieces(of: columns.text(7), account, in: database) : []
      let spread = Spread(
        amount: columns.number(3), from: start, until: max(end, start + 1), day: SampleKey.day(Int64(columns.number(0))),
        pieces: pieces)
      body(Int64(columns.number(4)), spread, SampleFlags(rawValue: UInt8(truncatingIfNeeded: columns.number(5))))
      return true
    }
  }

  /// The pieces of a sample that spans several days.
  static func pieces(of id: String, _ account: Int64, in database: Database) throws -> [Spread.Piece] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT day, from_at, until_at, elapsed FROM movement_sample_pieces WHERE account_number = ? AND sample_id = ?
        ORDER BY day, from_at
        """)
    return try Row.fetchAll(statement, arguments: [account, id]).map {
      Spread.Piece(day: $0[0], from: $0[1], until: $0[2], elapsed: $0[3])
    }
  }
}

/// A stored sample.
private struct PresentSample {
  let position: Int64
  let kind: MovementKind
  let end: Int64
  let source: Int64
  let version: Int
  let isDeleted: Bool
  let spread: Spread

  enum Evaluation { case repeated, replaces, rejected(RejectedSample.Reason) }

  /// Decides what to do with a sample that arrives with the id of this one.
  func evaluate(_ item: PreparedSample, source: Int64) -> Evaluation {
    let version = item.sample.version ?? 0
    if version > self.version { return .replaces }
    if version < self.version || isDeleted { return .rejected(.outdated) }
    let isSame =
      kind == item.sample.kind && spread.from == item.sample.start.milliseconds && end == item.sample.end.milliseconds
      && spread.amount == item.spread.amount && self.source == source
    return isSame ? .repeated : .rejected(.conflict)
  }
}
