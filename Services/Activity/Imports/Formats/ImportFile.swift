public import ActivityContract
import Operations

/// A file of somebody's, as it was sent.
public struct ImportFile: Sendable {
  public let contents: FileContents
  /// As it was called where it came from.
  public let name: String

  public init(_ contents: FileContents, name: String) {
    self.contents = contents
    self.name = name
  }

  /// What the file is, by its content.
  ///
  /// - Throws: ``FormatFault/unrecognized`` and whatever else keeps it from being read.
  public func format() throws(FormatFault) -> ImportFormat {
    var head = [UInt8](repeating: 0, count: sliceBytes)
    let count = try FileSource(contents).fill(&head)
    let bytes = head.prefix(count)
    if bytes.starts(with: Array("SQLite format 3\u{0}".utf8)) {
      _ = try LoopDatabase(contents)
      return .loopDatabase
    }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return try packed() }
    if let root = try Self.root(of: bytes) {
      switch root {
      case "HealthData": return .appleHealth
      case "gpx": return .gpx
      default: throw .unrecognized
      }
    }
    return try rows()
  }

  /// Opens the file as what it is.
  ///
  /// - Parameter person: whose rows are taken, of a file with several people's.
  public func reader(_ format: ImportFormat, person: String?) throws(FormatFault) -> any ImportReader {
    switch format {
    case .appleHealth: return try XMLRecordReader(FileSource(contents), AppleHealth())
    case .appleHealthZip:
      guard let source = try Self.export(in: try Archive(contents)) else { throw .noExport }
      return try XMLRecordReader(source, AppleHealth())
    case .gpx: return try XMLRecordReader(FileSource(contents), GPX())
    case .loopDatabase: return try LoopDatabase(contents)
    case .loopZip: return try LoopArchive(contents)
    case .fitbitHours:
      return try CSVRecordReader(FileSource(contents)) { names throws(FormatFault) in
        try FitbitHours(names, person: person)
      }
    case .googleFitDays, .googleFitDay:
      let name = name
      return try CSVRecordReader(FileSource(contents)) { names throws(FormatFault) in
        try GoogleFit(names, fileName: name)
      }
    case .loopHabits:
      return try CSVRecordReader(FileSource(contents)) { names throws(FormatFault) in try LoopHabitRows(names) }
    case .loopCheckmarks: return try LoopMarkFile(contents)
    }
  }

  // MARK: - Archives

  /// How many entries are looked at to find Apple's export. It has a handful that could be one.
  static let maxCandidates = 1000

  private func packed() throws(FormatFault) -> ImportFormat {
    let archive = try Archive(contents)
    var names: Set<String> = []
    let export = try Self.export(in: archive) { name in
      if name == LoopArchive.habits || name == LoopArchive.marks { names.insert(name) }
    }
    if export != nil { return .appleHealthZip }
    guard names.count == 2 else { throw .noExport }
    return .loopZip
  }

  /// The entry that is Apple's export, wherever it lies and whatever Apple calls it in the language of the phone: beside it lies another
  /// XML file of the clinical documents, which is ignored.
  ///
  /// - Parameter visit: gets the name of each entry up to it, of all if there is none.
  private static func export(in archive: Archive, visit: (String) -> Void = { _ in }) throws(FormatFault) -> EntrySource? {
    var candidates = 0
    while let name = try archive.next() {
      visit(name)
      guard name.lowercased().hasSuffix(".xml") else { continue }
      candidates += 1
      guard candidates <= maxCandidates else { throw .tooLarge }
      var head = [UInt8](repeating: 0, count: sliceBytes)
      let count = try EntrySource(archive).fill(&head)
      if try root(of: head.prefix(count)) == "HealthData" { return EntrySource(archive, head: Array(head.prefix(count))) }
    }
    return nil
  }

  // MARK: - Texts

  /// The name of the first element of what begins like XML; nil of what does not.
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
    if columns.isSuperset(of: FitbitHours.columns) { return .fitbitHours }
    if columns.isSuperset(of: GoogleFit.dayColumns) { return .googleFitDays }
    if columns.isSuperset(of: GoogleFit.timeColumns) { return .googleFitDay }
    if columns.isSuperset(of: LoopHabitRows.columns) { return .loopHabits }
    // Its columns are named by the habits: its cells are what distinguishes it from others of its kind.
    if names.first == "Date", names.count > 1, case .row(_, let fields)? = try csv.next(), fields.count == names.count,
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
  /// Fills the array as far as there is something.
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

/// Looks for the first element alone.
private final class RootHandler: XMLHandler {
  weak var parser: XMLPushParser?
  private(set) var root: String?

  func start(_ element: XMLStart, line: Int) {
    if root == nil { root = String(cString: element.name) }
    parser?.stop()
  }

  func end(_ name: XMLStart.Name, line: Int) {}
}
