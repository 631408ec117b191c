import ActivityContract
import Operations

/// An archive of Google Takeout, or of Fitbit: of all that lies in it, in folders of whatever language, the files are read that are known
/// by their content; the others are listed by name, all of one kind together, as `Takeout/Fit/Activities/*.tcx`.
///
/// Read from front to back in one go. Of the same steps in two files, such as a day's in the table of all days, one report counts: see
/// `GoogleFit` and `FitbitMinute`.
final class TakeoutArchive: ImportReader {
  /// Kinds of other files that are listed.
  private static let maxIgnored = 500
  /// As many characters as the name of a part has.
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

  /// Reads on in the file that is open; nil where there is nothing more of it.
  private func read(_ maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    guard let reader else { return nil }
    do throws(FormatFault) {
      if let records = try reader.next(maximum: maximum) { return records }
      self.reader = nil
      return nil
    } catch {
      // One file that breaks off ends none of the others, nor does one without rows of the person asked for. Where the archive itself is
      // broken, it has no next file.
      switch error {
      case .tooLarge, .stopped: throw error
      default: break
      }
      self.reader = nil
      return [ImportedRecord(part: part, line: reader.line, .fault(.brokenOff))]
    }
  }

  /// Opens the file at which the archive stands.
  ///
  /// - Returns: what is to be said of a file that is not read; nil where there is nothing to say.
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

  /// - Throws: where it is none that is read.
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

  /// What a table with these columns is, of those that such archives have; nil of others.
  static func format(_ columns: Set<String>) -> ImportFormat? {
    if columns.isSuperset(of: FitbitHours.columns) { return .fitbitHours }
    if columns.isSuperset(of: FitbitSteps.columns), columns.isSubset(of: FitbitSteps.columns + ["data source"]) {
      return .fitbitSteps
    }
    return GoogleFit.format(columns)
  }

  /// Whether the file at which the archive stands is one that is read.
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

  /// The name of all files that differ from it in digits alone: exports have one a day of some.
  private static func kind(_ name: String) -> String? {
    var kind = ""
    for character in name where !(character.isNumber && kind.last == "*") { kind.append(character.isNumber ? "*" : character) }
    return TextValues.shortened(kind, maxName)
  }
}
