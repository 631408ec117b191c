public import ActivityContract
import CXML2
import GRDBSQLite
import Operations
public import Sandbox

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Inspects and reads a file in a separate process, see ``SandboxedDecoder``, which receives the open file when it starts.
public final class ImportDecoder: SandboxedDecoder {
  public static let name = "imports"

  /// An archive of 2 GiB may unpack to 16 GiB, which takes many minutes of processor time.
  public static let bounds = DecoderBounds(
    maxMemoryBytes: 512 << 20, maxProcessorSeconds: 3600, maxRequestBytes: 1 << 16, maxReplyBytes: 16 << 20)

  public static func prepare() {
    // Loads encoding tables, which texts of zip and XML may need, and initialises SQLite.
    iconv_close(iconv_open("UTF-8", "ANSI_X3.4-1968"))
    xmlInitParser()
    for name in ["UTF-8", "UTF-16LE", "ISO-8859-1", "windows-1252"] {
      if let handler = xmlFindCharEncodingHandler(name) { xmlCharEncCloseFunc(handler) }
    }
    sqlite3_initialize()
    Archive.prepare()
  }

  private let file: Int32?
  private var reader: (any ImportReader)?
  /// The number of records to skip, since they were processed before.
  private var toSkip = 0

  public init(file: Int32?) { self.file = file }

  public func reply(to request: [UInt8]) -> [UInt8] {
    do throws(DecoderFault) {
      return answer(try ImportRequest(request))
    } catch {
      // The caller is trusted: an invalid request is a bug of the program.
      fatalError("invalid import request")
    }
  }

  private func answer(_ request: ImportRequest) -> [UInt8] {
    switch request {
    case .inspect(let name): return ImportReplies.format(result { () throws(FormatFault) in try contents(name).format() })
    case .open(let format, let name, let person, let movement, let limits, let position):
      ContentLimits.set(limits)
      return ImportReplies.opened(
        result { () throws(FormatFault) in
          reader = try contents(name).reader(format, person: person, movement: movement)
          toSkip = position
        })
    case .next(let maximum):
      // True also for the slice that ends with the last skipped record.
      let isBehind = toSkip > 0
      let records = result { () throws(FormatFault) in try next(maximum) }
      return ImportReplies.slice(records, isBehind: isBehind, line: reader?.line ?? 0, consumed: reader?.consumed ?? 0)
    }
  }

  private func contents(_ name: String) throws(FormatFault) -> ImportFile {
    guard let file else { throw .damaged }
    return ImportFile(FileContents(descriptor: file), name: name)
  }

  private func next(_ maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    guard let reader else { throw .damaged }
    guard let records = try reader.next(maximum: maximum) else { return nil }
    let rest = records.dropFirst(toSkip)
    toSkip -= records.count - rest.count
    return Array(rest)
  }

  private func result<Value>(_ body: () throws(FormatFault) -> Value) -> Result<Value, FormatFault> {
    do throws(FormatFault) { return .success(try body()) } catch { return .failure(error) }
  }
}

/// A file in a decoder process. Used by one thread; any thread may end the process.
public final class DecodedImport: Sendable {
  /// Time limits for detecting a format and for reading on. Some files have to be read completely before the first record.
  private static let (maxInspection, maxReading) = (Duration.seconds(60), Duration.seconds(300))

  /// The records read, and the progress.
  public struct Slice: Sendable {
    /// Nil at the end of the file.
    public let records: [ImportedRecord]?
    /// Why reading ended before the end of the file, if it did.
    public let fault: FormatFault?
    public let line: Int
    public let consumed: Int64
  }

  private let process: DecoderProcess
  private let name: String

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - name: the file's original name.
  ///   - program: see `DecoderProcess`.
  public init(_ file: FileContents, name: String, program: String) throws(DecoderFault) {
    self.name = name
    process = try DecoderProcess(ImportDecoder.self, program: program, file: file.descriptor)
  }

  /// Ends the process; a pending request fails with ``DecoderFault/ended``.
  public func end() { process.end() }

  /// Detects the file's format from its content.
  public func format() throws(DecoderFault) -> Result<ImportFormat, FormatFault> {
    try ImportReplies.readFormat(try ask(.inspect(name: name), Self.maxInspection))
  }

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - person: the person whose rows are imported, for a file with rows of several people.
  ///   - movement: the kind of movement on tracks that do not name one.
  ///   - position: the number of records to skip.
  public func open(
    _ format: ImportFormat, person: String?, movement: ExerciseKind? = nil, from position: Int
  ) throws(DecoderFault) -> Result<Void, FormatFault> {
    try ImportReplies.readOpened(
      try ask(
        .open(format, name: name, person: person, movement: movement, limits: .current, position: position), Self.maxReading))
  }

  /// Reads the next records. A file that is damaged in the middle first returns the records before that.
  public func next(maximum: Int) throws(DecoderFault) -> Slice {
    while true {
      let (slice, isBehind) = try ImportReplies.readSlice(try ask(.next(maximum: maximum), Self.maxReading))
      // A slice of skipped records only is no progress, and must not count as such.
      guard isBehind, slice.records?.isEmpty == true else { return slice }
    }
  }

  private func ask(_ request: ImportRequest, _ time: Duration) throws(DecoderFault) -> [UInt8] {
    try process.request(request.bytes, within: time)
  }
}

/// A request to the process.
enum ImportRequest {
  case inspect(name: String)
  case open(
    ImportFormat, name: String, person: String?, movement: ExerciseKind?, limits: ContentLimits, position: Int)
  case next(maximum: Int)

  private static let maxText = 4096
  static let maxRecords = 100_000

  var bytes: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .inspect(let name):
      writer.byte(0)
      writer.text(name)
    case .open(let format, let name, let person, let movement, let limits, let position):
      writer.byte(1)
      writer.choice(format)
      writer.text(name)
      writer.optional(person) { $0.text($1) }
      writer.optional(movement) { $0.choice($1) }
      writer.short(limits.activityTitle)
      writer.short(limits.activityReason)
      writer.short(limits.entryComment)
      writer.number(position)
    case .next(let maximum):
      writer.byte(2)
      writer.short(maximum)
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws(DecoderFault) {
    var reader = ByteReader(bytes)
    switch try reader.byte() {
    case 0: self = .inspect(name: try reader.text(maxBytes: Self.maxText))
    case 1:
      self = .open(
        try reader.choice(), name: try reader.text(maxBytes: Self.maxText),
        person: try reader.optional { (reader) throws(DecoderFault) in try reader.text(maxBytes: Self.maxText) },
        movement: try reader.optional { (reader) throws(DecoderFault) in try reader.choice() },
        limits: try reader.limits(),
        position: try reader.number(in: 0...Int.max))
    case 2: self = .next(maximum: try reader.short(in: 1...Self.maxRecords))
    default: throw .malformed
    }
    try reader.end()
  }
}

extension ByteWriter {
  /// One of the cases of a type, by index.
  mutating func choice<Value: CaseIterable & Equatable>(_ value: Value) where Value.AllCases == [Value] {
    byte(UInt8(Value.allCases.firstIndex(of: value) ?? 0))
  }
}

extension ByteReader {
  /// The limits that apply to imported records.
  fileprivate mutating func limits() throws(DecoderFault) -> ContentLimits {
    var limits = ContentLimits()
    limits.activityTitle = try short(in: 1...ContentLimits.maxTitle)
    limits.activityReason = try short(in: 1...ContentLimits.maxReason)
    limits.entryComment = try short(in: 1...ContentLimits.maxComment)
    return limits
  }

  mutating func choice<Value: CaseIterable>() throws(DecoderFault) -> Value where Value.AllCases == [Value] {
    let position = Int(try byte())
    guard position < Value.allCases.count else { throw .malformed }
    return Value.allCases[position]
  }
}
