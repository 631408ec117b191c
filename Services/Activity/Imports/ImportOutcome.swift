import ActivityContract
import ImportFormats
import Operations

/// The result of a batch of records.
struct ImportOutcome: Sendable {
  /// A record that was refused.
  struct Problem: Sendable {
    let part: String?
    let line: Int
    let reason: ImportProblemReason

    init(_ record: ImportedRecord, _ reason: ImportProblemReason) {
      part = record.part
      line = record.line
      self.reason = reason
    }

    init(part: String?, line: Int, _ reason: ImportProblemReason) {
      self.part = part
      self.line = line
      self.reason = reason
    }
  }

  var taken = 0
  var repeated = 0
  var problems: [Problem] = []
  /// The days whose totals or entries changed.
  var days: Set<LocalDay> = []
}
