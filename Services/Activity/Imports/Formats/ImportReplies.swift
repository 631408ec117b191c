import ActivityContract
import Operations
import Sandbox

/// The replies of the process. The parent trusts none of them: each value must be one that a genuine reader could have found.
enum ImportReplies {
  private typealias Bounds = ReplyBounds

  // MARK: - Whole replies

  static func format(_ result: Result<ImportFormat, FormatFault>) -> [UInt8] {
    var writer = ByteWriter()
    switch result {
    case .success(let format):
      writer.flag(true)
      writer.choice(format)
    case .failure(let fault):
      writer.flag(false)
      writer.fault(fault)
    }
    return writer.bytes
  }

  static func readFormat(_ bytes: [UInt8]) throws(DecoderFault) -> Result<ImportFormat, FormatFault> {
    var reader = ByteReader(bytes)
    let result: Result<ImportFormat, FormatFault> =
      try reader.flag() ? .success(try reader.choice()) : .failure(try reader.fault())
    try reader.end()
    return result
  }

  static func opened(_ result: Result<Void, FormatFault>) -> [UInt8] {
    var writer = ByteWriter()
    switch result {
    case .success: writer.flag(true)
    case .failure(let fault):
      writer.flag(false)
      writer.fault(fault)
    }
    return writer.bytes
  }

  static func readOpened(_ bytes: [UInt8]) throws(DecoderFault) -> Result<Void, FormatFault> {
    var reader = ByteReader(bytes)
    let result: Result<Void, FormatFault> = try reader.flag() ? .success(()) : .failure(try reader.fault())
    try reader.end()
    return result
  }

  /// - Parameter isBehind: whether records were skipped.
  static func slice(
    _ records: Result<[ImportedRecord]?, FormatFault>, isBehind: Bool, line: Int, consumed: Int64
  ) -> [UInt8] {
    var writer = ByteWriter(reserving: 1 << 17)
    writer.flag(isBehind)
    writer.number(line)
    writer.number(Int(consumed))
    switch records {
    case .success(nil): writer.byte(0)
    case .failure(let fault):
      writer.byte(1)
      writer.fault(fault)
    case .success(let records?):
      writer.byte(2)
      writer.short(records.count)
      var (sources, parts) = (SourcesWriter(), PartsWriter())
      for record in records { writer.record(record, &sources, &parts) }
    }
    return writer.bytes
  }

  static func readSlice(_ bytes: [UInt8]) throws(DecoderFault) -> (slice: DecodedImport.Slice, isBehind: Bool) {
    var reader = ByteReader(bytes)
    let isBehind = try reader.flag()
    let (line, consumed) = (try reader.number(in: Bounds.lines), Int64(try reader.number(in: Bounds.bytes)))
    var (records, fault): ([ImportedRecord]?, FormatFault?) = (nil, nil)
    switch try reader.byte() {
    case 0: break
    case 1: fault = try reader.fault()
    case 2:
      let count = try reader.short(in: 0...ImportRequest.maxRecords)
      var all: [ImportedRecord] = []
      all.reserveCapacity(count)
      var (sources, parts) = (SourcesReader(), [String]())
      for _ in 0..<count { all.append(try reader.record(&sources, &parts)) }
      records = all
    default: throw .malformed
    }
    try reader.end()
    return (DecodedImport.Slice(records: records, fault: fault, line: line, consumed: consumed), isBehind)
  }
}

/// The valid ranges of values found in files.
private enum ReplyBounds {
  static let lines = Int.min...Int.max
  static let bytes = 0...(1 << 40)
  /// Of the years 0 to 9999, in milliseconds, with the offset of a zone.
  static let times = -62_170_000_000_000...253_410_000_000_000
  /// The same in days.
  static let days = -719_600...2_933_000
  /// Steps and millimetres.
  static let amounts = 0...(1 << 60)
  static let seconds = 0...(1 << 40)
  static let marks = 0.0...1e9
  /// A name of 200 scalars, and which of that name it is.
  static let maxKeyBytes = 1024
  static let (maxName, maxUnit, maxPart) = (64, 20, TakeoutArchive.maxName)
  static let everyDays = 1...365
  static let timesAWeek = 1...7
}

// MARK: - Faults

extension ByteWriter {
  fileprivate mutating func fault(_ fault: FormatFault) {
    switch fault {
    case .unrecognized: byte(0)
    case .damaged: byte(1)
    case .unsafe: byte(2)
    case .encrypted: byte(3)
    case .tooLarge: byte(4)
    case .noExport: byte(5)
    case .dayMissing: byte(6)
    case .unknownPerson(let persons):
      byte(7)
      byte(UInt8(persons.count))
      for person in persons { text(person) }
    case .habitMissing: byte(8)
    case .ambiguousNames: byte(9)
    // In the process a reader is only stopped by ending the process.
    case .stopped: byte(1)
    }
  }
}

extension ByteReader {
  fileprivate mutating func fault() throws(DecoderFault) -> FormatFault {
    switch try byte() {
    case 0: return .unrecognized
    case 1: return .damaged
    case 2: return .unsafe
    case 3: return .encrypted
    case 4: return .tooLarge
    case 5: return .noExport
    case 6: return .dayMissing
    case 7:
      let count = Int(try byte())
      guard count <= Import.maxPersons + 1 else { throw .malformed }
      var persons: [String] = []
      for _ in 0..<count { persons.append(try name(ReplyBounds.maxName)) }
      return .unknownPerson(persons)
    case 8: return .habitMissing
    case 9: return .ambiguousNames
    default: throw .malformed
    }
  }

  /// A text as ``TextValues/shortened(_:_:)`` returns it: replacing a control character may have split one character into two.
  fileprivate mutating func name(_ max: Int) throws(DecoderFault) -> String {
    let text = try text(maxBytes: max * ShortText.maxBytesPerCharacter)
    guard text.count <= 2 * max, !text.isBlank, !ShortText.hasControl(text) else { throw .malformed }
    return text
  }
}

// MARK: - Sources, each once in a reply

private struct SourcesWriter {
  private var numbers: [ObjectIdentifier: Int] = [:]

  /// - Returns: the source's number, and whether it is new.
  mutating func number(of source: ImportedSource) -> (number: Int, isNew: Bool) {
    let key = ObjectIdentifier(source)
    if let number = numbers[key] { return (number, false) }
    defer { numbers[key] = numbers.count }
    return (numbers.count, true)
  }
}

private struct SourcesReader {
  var all: [ImportedSource] = []
}

extension ByteWriter {
  fileprivate mutating func source(_ source: ImportedSource, _ sources: inout SourcesWriter) {
    let (number, isNew) = sources.number(of: source)
    short(number)
    guard isNew else { return }
    optional(source.name) { $0.text($1) }
    optional(source.device) { $0.text($1) }
    self.number(source.hash)
  }
}

extension ByteReader {
  fileprivate mutating func source(_ sources: inout SourcesReader) throws(DecoderFault) -> ImportedSource {
    let number = try short(in: 0...sources.all.count)
    if number < sources.all.count { return sources.all[number] }
    let name = try optional { (reader) throws(DecoderFault) in try reader.name(ReplyBounds.maxName) }
    let device = try optional { (reader) throws(DecoderFault) in try reader.name(ReplyBounds.maxName) }
    let source = ImportedSource(kept: name, device: device, hash: try bits())
    sources.all.append(source)
    return source
  }
}

// MARK: - Parts, each once in a reply

private struct PartsWriter {
  private var numbers: [String: Int] = [:]

  /// - Returns: the part's number, from 1, and whether it is new.
  mutating func number(of part: String) -> (number: Int, isNew: Bool) {
    if let number = numbers[part] { return (number, false) }
    numbers[part] = numbers.count + 1
    return (numbers.count, true)
  }
}

extension ByteWriter {
  fileprivate mutating func part(_ part: String?, _ parts: inout PartsWriter) {
    guard let part else { return short(0) }
    let (number, isNew) = parts.number(of: part)
    short(number)
    if isNew { text(part) }
  }
}

extension ByteReader {
  fileprivate mutating func part(_ parts: inout [String]) throws(DecoderFault) -> String? {
    let number = try short(in: 0...parts.count + 1)
    if number > parts.count { parts.append(try name(ReplyBounds.maxPart)) }
    return number == 0 ? nil : parts[number - 1]
  }
}

// MARK: - Records

extension ByteWriter {
  fileprivate mutating func record(
    _ record: ImportedRecord, _ sources: inout SourcesWriter, _ parts: inout PartsWriter
  ) {
    part(record.part, &parts)
    number(record.line)
    switch record.content {
    case .sample(let sample):
      byte(0)
      self.sample(sample, &sources)
    case .exercise(let exercise):
      byte(1)
      choice(exercise.kind)
      optional(exercise.name) { $0.text($1) }
      optional(exercise.start) { $0.number(Int($1.milliseconds)) }
      flag(exercise.isLocal)
      optional(exercise.durationSeconds) { $0.number($1) }
      optional(exercise.distanceMillimetres) { $0.number($1) }
    case .habit(let habit):
      byte(2)
      self.habit(habit)
    case .mark(let mark):
      byte(3)
      text(mark.habit)
      number(Int(mark.day.daysSinceEpoch))
      switch mark.progress {
      case .done: flag(false)
      case .amount(let amount):
        flag(true)
        number(amount)
      }
    case .beginning(let habit, let day, let dayAsLimit):
      byte(4)
      text(habit)
      optional(day) { $0.number(Int($1.daysSinceEpoch)) }
      number(Int(dayAsLimit.daysSinceEpoch))
    case .fault(let reason):
      byte(5)
      choice(reason)
    case .skip(let habit, let day):
      byte(6)
      text(habit)
      number(Int(day.daysSinceEpoch))
    case .note(let habit, let day, let note):
      byte(7)
      text(habit)
      number(Int(day.daysSinceEpoch))
      text(note)
    }
  }

  private mutating func sample(_ sample: ImportedSample, _ sources: inout SourcesWriter) {
    byte(sample.kind.rawValue)
    switch sample.span {
    case .instants(let start, let end):
      byte(0)
      number(Int(start.milliseconds))
      number(Int(end.milliseconds))
    case .local(let start, let end):
      byte(1)
      number(Int(start))
      number(Int(end))
    case .day(let day):
      byte(2)
      number(Int(day.daysSinceEpoch))
    }
    number(sample.amount)
    flag(sample.isManual)
    flag(sample.isTotal)
    source(sample.source, &sources)
  }

  private mutating func habit(_ habit: ImportedHabit) {
    text(habit.key)
    text(habit.title)
    optional(habit.reason) { $0.text($1) }
    switch habit.frequency {
    case .daily: byte(0)
    case .everyDays(let days):
      byte(1)
      short(days)
    case .timesAWeek(let times):
      byte(2)
      short(times)
    }
    // A check, or an amount: see `LoopHabits`.
    optional(habit.goal.amount) { $0.number($1) }
    optional(habit.goal.unit) { $0.text($1) }
    flag(habit.goal.direction == .atMost)
    optional(habit.firstDay) { $0.number(Int($1.daysSinceEpoch)) }
    flag(habit.isArchived)
    optional(habit.reminder) { $0.short($1.minutes) }
  }
}

extension ByteReader {
  fileprivate mutating func record(
    _ sources: inout SourcesReader, _ parts: inout [String]
  ) throws(DecoderFault) -> ImportedRecord {
    let part = try part(&parts)
    let line = try number(in: ReplyBounds.lines)
    return ImportedRecord(part: part, line: line, try content(&sources))
  }

  private mutating func content(_ sources: inout SourcesReader) throws(DecoderFault) -> ImportedRecord.Content {
    switch try byte() {
    case 0: return .sample(try sample(&sources))
    case 1: return .exercise(try exercise())
    case 2: return .habit(try habit())
    case 3:
      let (habit, day) = (try key(), try day())
      let progress: ImportedMark.Progress = try flag() ? .amount(try number(in: ReplyBounds.marks)) : .done
      return .mark(ImportedMark(habit: habit, day: day, progress: progress))
    case 4:
      let (habit, day) = (try key(), try optional { (reader) throws(DecoderFault) in try reader.day() })
      return .beginning(habit: habit, day, asLimit: try self.day())
    case 5: return .fault(try choice())
    case 6: return .skip(habit: try key(), try day())
    case 7: return .note(habit: try key(), try day(), try name(ContentLimits.current.entryComment))
    default: throw .malformed
    }
  }

  private mutating func key() throws(DecoderFault) -> String { try text(maxBytes: ReplyBounds.maxKeyBytes) }

  private mutating func exercise() throws(DecoderFault) -> FoundExercise {
    let kind: ExerciseKind = try choice()
    let name = try optional { (reader) throws(DecoderFault) in try reader.name(ReplyBounds.maxName) }
    let start = try optional { (reader) throws(DecoderFault) in try reader.instant() }
    let isLocal = try flag()
    let seconds = try optional { (reader) throws(DecoderFault) in try reader.number(in: ReplyBounds.seconds) }
    let distance = try optional { (reader) throws(DecoderFault) in try reader.number(in: ReplyBounds.amounts) }
    return FoundExercise(
      kind: kind, name: name, start: start, isLocal: isLocal, durationSeconds: seconds, distanceMillimetres: distance)
  }

  private mutating func instant() throws(DecoderFault) -> Instant {
    Instant(milliseconds: Int64(try number(in: ReplyBounds.times)))
  }

  private mutating func day() throws(DecoderFault) -> LocalDay {
    LocalDay(daysSinceEpoch: Int32(try number(in: ReplyBounds.days)))
  }

  private mutating func sample(_ sources: inout SourcesReader) throws(DecoderFault) -> ImportedSample {
    guard let kind = ImportedSample.Kind(rawValue: try byte()) else { throw .malformed }
    let span: ImportedSpan
    switch try byte() {
    case 0: span = .instants(try instant(), try instant())
    case 1:
      span = .local(Int64(try number(in: ReplyBounds.times)), Int64(try number(in: ReplyBounds.times)))
    case 2: span = .day(try day())
    default: throw .malformed
    }
    let amount = try number(in: ReplyBounds.amounts)
    let (isManual, isTotal) = (try flag(), try flag())
    return ImportedSample(
      kind: kind, span: span, amount: amount, source: try source(&sources), isManual: isManual, isTotal: isTotal)
  }

  private mutating func habit() throws(DecoderFault) -> ImportedHabit {
    let key = try text(maxBytes: ReplyBounds.maxKeyBytes)
    let title = try name(ContentLimits.current.activityTitle)
    let reason = try optional { (reader) throws(DecoderFault) in try reader.name(ContentLimits.current.activityReason) }
    let frequency: ImportedHabit.Frequency
    switch try byte() {
    case 0: frequency = .daily
    case 1: frequency = .everyDays(try short(in: ReplyBounds.everyDays))
    case 2: frequency = .timesAWeek(try short(in: ReplyBounds.timesAWeek))
    default: throw .malformed
    }
    let amount = try optional { (reader) throws(DecoderFault) in try reader.number(in: 0.001...Amounts.maximum) }
    let unit = try optional { (reader) throws(DecoderFault) in try reader.name(ReplyBounds.maxUnit) }
    let isAtMost = try flag()
    let goal: Goal
    switch (amount, unit) {
    case (nil, nil): goal = .check
    case (let amount?, let unit?) where Amounts.isExact(amount):
      goal = .quantity(amount, unit: unit, isAtMost ? .atMost : .atLeast)
    default: throw .malformed
    }
    let firstDay = try optional { (reader) throws(DecoderFault) in try reader.day() }
    let isArchived = try flag()
    let minutes = try optional { (reader) throws(DecoderFault) in try reader.short(in: 0...1439) }
    return ImportedHabit(
      key: key, title: title, reason: reason, frequency: frequency, goal: goal, firstDay: firstDay, isArchived: isArchived,
      reminder: minutes.flatMap(ReminderTime.init(minutes:)))
  }
}
