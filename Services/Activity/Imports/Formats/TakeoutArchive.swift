import ActivityContract
import Operations

/// Reads an archive of Google Takeout or of Fitbit. CSV files in a known format are recognised by their columns, and Fitbit's JSON files by
/// their names, in folders of any language; other files are listed by name, all of one kind together, as `Takeout/Fit/Activities/*.tcx`.
///
/// The archive is read once from front to back. Where two files report the same steps, such as a day's file and the table of all days, one
/// report counts: see `GoogleFit` and `FitbitMinute`.
final class TakeoutArchive: ImportReader {
  /// The maximum number of kinds of other files that are listed.
  private static let maxIgnored = 500
  /// The maximum length of a part's name.
  static let maxName = 200

  private let archive: Archive
  private let person: String?
  private var reader: (any ImportReader)?
  private var part: String?
  private var ignored: Set<String> = []

  init(_ file: FileContents, person: String?) throws(FormatFault) {
    archive = try Archive(file)
    self.person = person
  }

  var consumed: Int64 { archive.consumed }
  var line: Int { reader?.line ?? 0 }

  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    let begin = consumed
    while consumed - begin < stretchBytes {
      if let records = try read(maximum) { return records }
      guard let name = try archive.next() else { return nil }
      if let listed = try open(name) { return [listed] }
    }
    return []
  }

  /// Reads on in the open file; nil at its end.
  private func read(_ maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    guard let reader else { return nil }
    do throws(FormatFault) {
      if let records = try reader.next(maximum: maximum) { return records }
      self.reader = nil
      return nil
    } catch {
      // A file that breaks off does not end the others, nor does one without rows of the requested person. Where the archive itself is
      // damaged, it has no next file.
      switch error {
      case .tooLarge, .stopped: throw error
      default: break
      }
      self.reader = nil
      return [ImportedRecord(part: part, line: reader.line, .fault(.brokenOff))]
    }
  }

  /// Opens the archive's present file.
  ///
  /// - Returns: the problem to report for a file that is not read; nil for none.
  private func open(_ name: String) throws(FormatFault) -> ImportedRecord? {
    part = TextValues.shortened(name, Self.maxName)
    do throws(FormatFault) {
      reader = try Self.reader(name, EntrySource(archive), part: part, person: person)
      return nil
    } catch {
      switch error {
      case .tooLarge, .stopped: throw error
      default: break
      }
      guard let kind = Self.kind(name), ignored.count < Self.maxIgnored, ignored.insert(kind).inserted else { return nil }
      return ImportedRecord(part: kind, line: 0, .fault(.fileIgnored))
    }
  }

  /// - Throws: if the format is not supported.
  static func reader(
    _ name: String, _ source: any ByteSource, part: String?, person: String?
  ) throws(FormatFault) -> any ImportReader {
    let file = String(name.split(separator: "/").last ?? "")
    if FitbitStepsJSON.isNamed(file) { return FitbitStepsJSON(source, part: part) }
    guard file.lowercased().hasSuffix(".csv") else { throw .unrecognized }
    return try CSVRecordReader(source, part: part) { names throws(FormatFault) in
      switch Self.format(Set(names)) {
      case .fitbitHours: return try FitbitHours(names, person: person)
      case .fitbitSteps: return try FitbitSteps(names)
      case .googleFitDays, .googleFitDay: return try GoogleFit(names, fileName: file)
      default: throw .unrecognized
      }
    }
  }

  /// The format of a table with these columns, among those that such archives contain; nil for others.
  static func format(_ columns: Set<String>) -> ImportFormat? {
    if columns.isSuperset(of: FitbitHours.columns) { return .fitbitHours }
    if columns.isSuperset(of: FitbitSteps.columns), columns.isSubset(of: FitbitSteps.columns + ["data source"]) {
      return .fitbitSteps
    }
    return GoogleFit.format(columns)
  }

  /// Whether the archive's present file is one that is read.
  static func holds(_ name: String, in archive: Archive) throws(FormatFault) -> Bool {
    do throws(FormatFault) {
      _ = try reader(name, EntrySource(archive), part: nil, person: nil)
      return true
    } catch {
      switch error {
      case .tooLarge, .stopped: throw error
      default: return false
      }
    }
  }

  /// The common name of all files that differ only in digits: some exports have one per day.
  private static func kind(_ name: String) -> String? {
    var kind = ""
    for character in name where !(character.isNumber && kind.last == "*") { kind.append(character.isNumber ? "*" : character) }
    return TextValues.shortened(kind, maxName)
  }
}
