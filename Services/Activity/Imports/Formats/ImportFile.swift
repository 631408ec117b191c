public import ActivityContract
import Operations

/// A file as the client sent it.
public struct ImportFile: Sendable {
  public let contents: FileContents
  /// The file's name at its origin.
  public let name: String

  public init(_ contents: FileContents, name: String) {
    self.contents = contents
    self.name = name
  }

  /// Detects the file's format from its content.
  ///
  /// - Throws: ``FormatFault/unrecognized``, and any other fault that prevents reading it.
  public func format() throws(FormatFault) -> ImportFormat {
    var head = [UInt8](repeating: 0, count: sliceBytes)
    let count = try FileSource(contents).fill(&head)
    let bytes = head.prefix(count)
    if bytes.starts(with: Array("SQLite format 3\u{0}".utf8)) {
      _ = try LoopDatabase(contents)
      return .loopDatabase
    }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: Archive.gzip) { return try packed() }
    if FitbitStepsJSON.isNamed(name), bytes.contains(UInt8(ascii: "[")) {
      guard try FitbitStepsJSON(FileSource(contents)).next(maximum: 1) != nil else { throw .unrecognized }
      return .fitbitStepsJSON
    }
    if let root = try Self.root(of: bytes) {
      switch root {
      case "HealthData": return .appleHealth
      case "gpx": return .gpx
      default: throw .unrecognized
      }
    }
    return try rows()
  }

  /// Opens the file in its detected format.
  ///
  /// - Parameters:
  ///   - person: the person whose rows are imported, for a file with rows of several people.
  ///   - movement: the kind of movement on tracks that do not name one.
  public func reader(
    _ format: ImportFormat, person: String?, movement: ExerciseKind? = nil
  ) throws(FormatFault) -> any ImportReader {
    switch format {
    case .appleHealth: return try XMLRecordReader(FileSource(contents), AppleHealth())
    case .appleHealthZip:
      guard let source = try Self.export(in: try Archive(contents)) else { throw .noExport }
      return try XMLRecordReader(source, AppleHealth())
    case .gpx: return try XMLRecordReader(FileSource(contents), GPX(movement: movement))
    case .loopDatabase: return try LoopDatabase(contents)
    case .loopZip: return try LoopArchive(contents)
    case .fitbitHours:
      return try CSVRecordReader(FileSource(contents)) { names throws(FormatFault) in
        try FitbitHours(names, person: person)
      }
    case .fitbitSteps:
      return try CSVRecordReader(FileSource(contents)) { names throws(FormatFault) in try FitbitSteps(names) }
    case .fitbitStepsJSON: return FitbitStepsJSON(FileSource(contents))
    case .googleFitDays, .googleFitDay:
      let name = name
      return try CSVRecordReader(FileSource(contents)) { names throws(FormatFault) in
        try GoogleFit(names, fileName: name)
      }
    case .takeout: return try TakeoutArchive(contents, person: person)
    case .loopHabits:
      return try CSVRecordReader(FileSource(contents)) { names throws(FormatFault) in try LoopHabitRows(names) }
    case .loopCheckmarks: return try LoopMarkFile(contents)
    }
  }

  // MARK: - Archives

  /// The maximum number of entries that are examined to find Apple's export, which has a handful of candidates.
  static let maxCandidates = 1000

  private func packed() throws(FormatFault) -> ImportFormat {
    let archive = try Archive(contents)
    var (candidates, names) = (0, Set<String>())
    while let name = try archive.next() {
      if name == LoopArchive.habits || name == LoopArchive.marks { names.insert(name) }
      if Self.mayBeExport(name) {
        if try Self.export(archive, &candidates) != nil { return .appleHealthZip }
      } else if try TakeoutArchive.holds(name, in: archive) {
        return .takeout
      }
    }
    guard names.count == 2 else { throw .noExport }
    return .loopZip
  }

  /// Whether an entry with that name can be Apple's export, whose name depends on the phone's language. An unreadable name can be any.
  private static func mayBeExport(_ name: String) -> Bool { name.isEmpty || name.lowercased().hasSuffix(".xml") }

  /// The entry that is Apple's export, in any folder: another XML file with the clinical documents is next to it, and is ignored.
  private static func export(in archive: Archive) throws(FormatFault) -> EntrySource? {
    var candidates = 0
    while let name = try archive.next() {
      if mayBeExport(name), let source = try export(archive, &candidates) { return source }
    }
    return nil
  }

  /// The archive's present entry, if its content is Apple's export.
  private static func export(_ archive: Archive, _ candidates: inout Int) throws(FormatFault) -> EntrySource? {
    candidates += 1
    guard candidates <= maxCandidates else { throw .tooLarge }
    var head = [UInt8](repeating: 0, count: sliceBytes)
    let count = try EntrySource(archive).fill(&head)
    guard try root(of: head.prefix(count)) == "HealthData" else { return nil }
    return EntrySource(archive, head: Array(head.prefix(count)))
  }

  // MARK: - Texts

  /// The name of the root element of text that begins like XML; nil for other text.
  private static func root(of head: ArraySlice<UInt8>) throws(FormatFault) -> String? {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head
    guard text.first(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) == UInt8(ascii: "<") else { return nil }
    let handler = RootHandler()
    let parser = try XMLPushParser(handler)
    handler.parser = parser
    var fault: FormatFault?
    head.withUnsafeBytes { bytes in
      do throws(FormatFault) { try parser.parse(bytes) } catch { fault = error }
    }
    if let fault, handler.root == nil { throw fault }
    guard let root = handler.root else { throw .unrecognized }
    return root
  }

  private func rows() throws(FormatFault) -> ImportFormat {
    var csv = CSV(FileSource(contents))
    let line: CSV.Line?
    do throws(FormatFault) { line = try csv.next() } catch { throw .unrecognized }
    guard case .row(_, let names) = line else { throw .unrecognized }
    let columns = Set(names)
    if let format = TakeoutArchive.format(columns) { return format }
    if columns.isSuperset(of: LoopHabitRows.columns) { return .loopHabits }
    if names == LoopMarkRows.ofOneHabit { throw .habitMissing }
    // The columns have the names of habits, so only the cells distinguish this format from others. If names contain commas, the header
    // has more fields than the rows.
    if names.first == "Date", names.count > 1, case .row(_, let fields)? = try csv.next(),
      fields.count == names.count || fields.count < names.count && names.last == "" && fields.last == "",
      fields.dropFirst().allSatisfy(Self.isMark)
    {
      return .loopCheckmarks
    }
    throw .unrecognized
  }

  private static func isMark(_ field: String) -> Bool {
    ["", "NO", "UNKNOWN", "YES_AUTO", "YES_MANUAL", "SKIP"].contains(field) || Int(field) != nil
  }
}

extension ByteSource {
  /// Fills the array, unless the source ends before.
  ///
  /// - Returns: the number of bytes read.
  func fill(_ array: inout [UInt8]) throws(FormatFault) -> Int {
    var outcome: Result<Int, FormatFault> = .success(0)
    array.withUnsafeMutableBytes { bytes in
      var count = 0
      do throws(FormatFault) {
        while count < bytes.count {
          let more = try read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
          if more == 0 { break }
          count += more
        }
        outcome = .success(count)
      } catch {
        outcome = .failure(error)
      }
    }
    return try outcome.get()
  }
}

/// Looks only for the root element.
private final class RootHandler: XMLHandler {
  weak var parser: XMLPushParser?
  private(set) var root: String?

  func start(_ element: XMLStart, line: Int) {
    if root == nil { root = String(cString: element.name) }
    parser?.stop()
  }

  func end(_ name: XMLStart.Name, line: Int) {}
}
