import ActivityContract
import IdentityContract
import ImportFormats
import Operations
import Sandbox
import ServiceKit
import Storage
import Workers

/// Reads one import from its present position to its end.
///
/// Each batch of records takes effect in one transaction together with the new position. So whatever ends the process, and whenever,
/// reading resumes after the last batch that took effect, and nothing takes effect twice.
struct ImportRun: Sendable {
  private(set) var row: ImportRow
  let format: ImportFormat
  let store: Store
  let spool: ImportSpool
  let calendars: AccountCalendars
  let rules: FairnessRules

  /// Nil where the file's format is unknown, which the schema rules out for waiting imports.
  init?(_ row: ImportRow, _ store: Store, _ spool: ImportSpool, _ calendars: AccountCalendars, _ rules: FairnessRules) {
    guard let format = row.format else { return nil }
    self.row = row
    self.format = format
    self.store = store
    self.spool = spool
    self.calendars = calendars
    self.rules = rules
  }

  /// Why reading stops.
  private enum Stop: Error {
    case failed(ImportEnd)
  }

  /// Reads the file to its end and removes it.
  ///
  /// - Parameter beat: called before each batch; says how many records it may have at most.
  func run(_ beat: @escaping @Sendable () -> Int) async throws {
    do {
      try await ImportWatch.unlessEnded(row.id, store) { try await readOn(beat) }
      try await store.write { try ImportStore.finish(row.id, $0) }
    } catch Stop.failed(let reason) {
      try await store.write { try ImportStore.end(row.id, .failed, $0, because: reason) }
    } catch is ImportWatch.Ended {
      // The operation that ended the import has recorded the reason.
    } catch let error as CancellationError {
      try await store.write { try ImportStore.takeBackStart(of: row.id, $0) }
      throw error
    }
    try await spool.remove(row.id, of: row.account)
  }

  /// How long to wait when no process can be started.
  private static let startPause = Duration.seconds(5)

  /// Reads the file, and resumes from its position whenever the decoder process has ended; the number of starts without progress is
  /// limited.
  private func readOn(_ beat: () -> Int) async throws {
    var run = self
    while true {
      do {
        return try await run.read(beat)
      } catch is FileReading.Stopped {
        throw CancellationError()
      } catch let fault as DecoderFault {
        if !fault.isOfFile {
          try await store.write { try ImportStore.takeBackStart(of: row.id, $0) }
          try await Task.sleep(for: Self.startPause)
        }
        guard let row = try await store.read({ try ImportStore.find(row.id, in: $0) }) else { throw ImportWatch.Ended() }
        run.row = row
      }
    }
  }

  private func read(_ beat: () -> Int) async throws {
    // The file may crash its reader, so the start must be durable first.
    guard try await store.write({ try ImportStore.begin(row.id, $0) }) else { throw ImportWatch.Ended() }
    guard try await spool.holds(row.totalBytes, of: row.id, row.account) else { throw Stop.failed(.lost) }
    let reading = spool.reading(of: row)
    var size = StepSize(first: ImportLimits.firstBatch, max: ImportLimits.batch, target: ImportLimits.batchDuration)
    let first = min(size.count, beat())
    if row.position == 0, let sha256 = row.sha256, try await reading.sha256() != sha256 { throw Stop.failed(.otherBytes) }
    if case .failure(let fault) = try await reading.open(format, person: row.person, movement: row.movement, from: row.position) {
      try await breakOff(fault, line: 0)
    }
    var position = row.position
    var slice = try await reading.next(maximum: first)
    while let records = slice.records {
      try Task.checkCancellation()
      let maximum = min(size.count, beat())
      // The next batch is read while this one is written.
      position += records.count
      let (following, duration) = try await concurrently({ try await reading.next(maximum: maximum) }) {
        try await take(records, position: position, progress: progress(slice))
      }
      if !records.isEmpty { size.took(duration, for: records.count) }
      slice = following
    }
    if let fault = slice.fault { try await breakOff(fault, line: slice.line) }
  }

  private func progress(_ slice: DecodedImport.Slice) -> Int {
    min(99, Int(slice.consumed * 100 / Int64(row.totalBytes)))
  }

  /// Applies a batch.
  ///
  /// - Returns: how long that took, without the commit.
  private func take(_ records: [ImportedRecord], position: Int, progress: Int) async throws -> Duration {
    try await store.write(largeOf: row.account.description) { transaction in
      let start = ContinuousClock.now
      let row = try current(transaction)
      if format.needsConsent {
        do {
          try Accounts.requireConsent(.activityData, of: row.account, in: transaction.database)
        } catch is Failure {
          throw Stop.failed(.consentWithdrawn)
        }
      }
      var outcome = ImportOutcome()
      try take(records, row, &outcome, transaction)
      outcome.problems.sort { ($0.line, $0.part ?? "") < ($1.line, $1.part ?? "") }
      try ImportStore.note(outcome, position: position, progress: progress, of: row, transaction)
      return ContinuousClock.now - start
    }
  }

  private func take(
    _ records: [ImportedRecord], _ row: ImportRow, _ outcome: inout ImportOutcome, _ transaction: Transaction
  ) throws {
    let account = row.account
    let calendar = try calendars.calendar(of: account, in: transaction.database)
    let today = calendar.day(of: transaction.now)
    var samples: [(record: ImportedRecord, sample: ImportedSample)] = []
    samples.reserveCapacity(records.count)
    for record in records {
      switch record.content {
      case .sample(let sample): samples.append((record, sample))
      case .exercise(let exercise): try ExerciseImport.take(exercise, record, of: row, in: calendar, &outcome, transaction)
      case .habit(let habit): try HabitImport.take(habit, record, of: account, today: today, &outcome, transaction)
      case .mark(let mark): try HabitImport.take(mark, record, of: account, today: today, &outcome, transaction)
      case .beginning(let habit, let day, let dayAsLimit):
        try HabitImport.begin(habit, on: day, asLimit: dayAsLimit, of: account, today: today, transaction)
      case .skip(let habit, let day):
        try HabitImport.skip(habit, on: day, record, of: account, today: today, &outcome, transaction)
      case .note(let habit, let day, let note):
        try HabitImport.take(note: note, of: habit, on: day, record, of: account, today: today, &outcome, transaction)
      case .fault(let reason): outcome.problems.append(.init(record, reason))
      }
    }
    if !samples.isEmpty { try SampleImport.take(samples, of: account, in: calendar, by: rules, &outcome, transaction) }
  }

  /// Records where the file breaks off, or what is wrong with it as a whole; the records before that are kept.
  private func breakOff(_ fault: FormatFault, line: Int) async throws -> Never {
    try await store.write { transaction in
      let row = try current(transaction)
      if case .unknownPerson(let persons) = fault {
        try ImportStore.note(persons: persons, of: row.id, transaction)
      } else {
        var outcome = ImportOutcome()
        outcome.problems.append(.init(part: nil, line: line, .brokenOff))
        try ImportStore.note(outcome, position: row.position, progress: row.progress, of: row, transaction)
      }
      try ImportStore.end(row.id, .failed, transaction, because: ImportEnd(fault))
    }
    throw ImportWatch.Ended()
  }

  private func current(_ transaction: Transaction) throws -> ImportRow {
    guard let row = try ImportStore.find(row.id, in: transaction.database), row.state == .reading else {
      throw ImportWatch.Ended()
    }
    return row
  }
}

extension ImportEnd {
  /// The reason for the import that corresponds to a reader's fault.
  init(_ fault: FormatFault) {
    self =
      switch fault {
      case .unrecognized: .unrecognized
      case .damaged: .damaged
      case .unsafe: .unsafe
      case .encrypted: .encrypted
      case .tooLarge: .tooLarge
      case .noExport: .noExport
      case .dayMissing: .dayMissing
      case .unknownPerson: .unknownPerson
      case .habitMissing: .habitMissing
      case .ambiguousNames: .ambiguousNames
      // Not recorded: a stopped reader leaves the import as it is.
      case .stopped: .givenUp
      }
  }
}

extension DecoderFault {
  /// Whether the file may be the cause, rather than a machine on which no process can be started.
  var isOfFile: Bool { if case .notStarted = self { false } else { true } }
}
