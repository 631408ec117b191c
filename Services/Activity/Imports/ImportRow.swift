public import ActivityContract
public import GRDB
import Operations
import Storage

/// An import as it is stored.
struct ImportRow: Sendable {
  let id: ImportID
  let account: AccountID
  let name: String
  let saidFormat: ImportFormat?
  let sha256: String?
  let person: String?
  let movement: ExerciseKind?
  /// The persons in the file, where no row belongs to the requested one; one more than are listed.
  let persons: [String]?
  let format: ImportFormat?
  let state: ImportState
  let reason: ImportEnd?
  let totalBytes: Int
  let receivedBytes: Int
  let progress: Int
  let position: Int
  /// How often reading was started since it last made progress.
  let starts: Int
  let taken: Int
  let repeated: Int
  let refused: Int
  let days: Int
  let createdAt: Instant
  let publishedAt: Instant
  let endedAt: Instant?
  let areDetailsForgotten: Bool

  init(_ row: Row) {
    id = row["import_id"]
    account = row["account_id"]
    name = row["name"]
    saidFormat = row["said_format"]
    sha256 = row["sha256"]
    person = row["person"]
    movement = row["movement"]
    persons = (row["persons"] as String?)?.split(separator: "\n").map(String.init)
    format = row["format"]
    state = row["state"]
    reason = row["reason"]
    totalBytes = row["total_bytes"]
    receivedBytes = row["received_bytes"]
    progress = row["progress"]
    position = row["position"]
    starts = row["starts"]
    taken = row["taken"]
    repeated = row["repeated"]
    refused = row["refused"]
    days = row["days"]
    createdAt = row["created_at"]
    publishedAt = row["published_at"]
    endedAt = row["ended_at"]
    areDetailsForgotten = row["details_forgotten"]
  }

  var counts: ImportCounts {
    ImportCounts(
      records: taken + repeated + refused, accepted: taken, repeated: repeated, rejected: refused, days: days)
  }

  /// The parameters of the text for its reason.
  private var endParameters: [String: Parameter] {
    if let format, reason == .nothingUsable { return ["format": .text(format.rawValue)] }
    guard let person, let persons else { return [:] }
    let named = persons.prefix(Import.maxPersons).joined(separator: ", ")
    return [
      "person": .text(person), "persons": .text(persons.count > Import.maxPersons ? "\(named), …" : named),
    ]
  }

  /// Whether the whole file was read and had nothing to take. The refused parts listed for an archive are only files that are not read.
  var hasNothingUsable: Bool { taken == 0 && repeated == 0 && (refused == 0 || format == .takeout) }

  /// The failure that reports why the file cannot be imported; nil where the import did not fail.
  var failure: Failure? {
    reason.map { reason in
      ImportFailure.unusable.with(endParameters.merging(["reason": .text("import_\(reason.rawValue)")]) { _, new in new })
    }
  }

  /// The import as its owner sees it.
  func shown(_ language: Language) -> Import {
    Import(
      id: id, name: name, format: format, state: state, reason: reason,
      reasonText: reason.map { ImportWords.text($0, language, endParameters) },
      people: persons.map { Array($0.prefix(Import.maxPersons)) }, totalBytes: totalBytes, receivedBytes: receivedBytes,
      progress: progress, counts: counts, createdAt: createdAt, endedAt: endedAt,
      areDetailsForgotten: areDetailsForgotten ? true : nil)
  }
}

extension ImportFormat: DatabaseValueConvertible {}
extension ImportState: DatabaseValueConvertible {}
extension ImportEnd: DatabaseValueConvertible {}
extension ImportProblemReason: DatabaseValueConvertible {}
extension ExerciseKind: DatabaseValueConvertible {}

/// The texts for the results of imports.
enum ImportWords {
  private static let words = Words(Contract.activity.words)

  static func text(_ end: ImportEnd, _ language: Language, _ parameters: [String: Parameter]) -> String {
    words.text("reason.import_\(end.rawValue)", language, parameters) ?? end.rawValue
  }

  static func text(_ reason: ImportProblemReason, _ language: Language) -> String {
    words.text("importProblem.\(reason.rawValue)", language) ?? reason.rawValue
  }
}
