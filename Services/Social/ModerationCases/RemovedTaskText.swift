import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The texts of parts of tasks and of recurring tasks that moderators removed. Each removed text is marked with its case until something
/// else is written in its place: so a granted appeal restores exactly the marked ones.
///
/// Recurring texts are removed together: with a recurring task its open occurrences and the last one, from which the next is made, where
/// they have the same text; and likewise for a part of an occurrence.
enum RemovedTaskText {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "removed texts of tasks") { database in
      for sql in [TaskStore.removalSchema, TaskSeriesStore.removalSchema, TaskPartStore.removalSchema] {
        try database.execute(sql: sql)
      }
    }
  }

  /// How one of the tables keeps which texts are removed.
  static func schema(of table: String) -> String {
    """
    -- The case that removed the text, as long as nothing else was written in its place.
    ALTER TABLE \(table) ADD COLUMN removed_by BLOB CHECK (length(removed_by) = 16);
    CREATE INDEX \(table)_removed ON \(table) (removed_by) WHERE removed_by IS NOT NULL;
    """
  }

  /// Takes the text of a part away, unless it was changed since it was reported.
  static func removePart(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let id = found.subject.taskPartID, let part = try TaskPartStore.find(id, in: database),
      try isReported(part.text.title, part.text.description, in: found, database)
    else { return }
    let neutral = try neutralName(["Part", "Parte"], for: found.accused, in: database)
    var isRemoved = false
    for task in try [part.task] + tasksBeside(part.task, in: database)
    where try TaskPartStore.removeText(of: part, in: task, neutral, by: found.id, transaction) { isRemoved = true }
    if isRemoved { try keep(part.text.title, part.text.description, by: found, transaction) }
  }

  /// The other occurrences of a task's series that are open, and the last one.
  private static func tasksBeside(_ task: ID<SharedTask>, in database: Database) throws -> [ID<SharedTask>] {
    guard let series = try TaskStore.series(of: task, in: database) else { return [] }
    return try tasks(of: series, in: database).filter { $0 != task }
  }

  private static func tasks(of series: ID<TaskSeries>, in database: Database) throws -> [ID<SharedTask>] {
    let open = try TaskSeriesStore.openOccurrences(of: series, in: database)
    let last = try TaskSeriesStore.lastOccurrence(of: series, before: PlannableDays.all.upperBound.advanced(by: 1), in: database)
    return open + [last].compactMap { $0 }.filter { !open.contains($0) }
  }

  /// Takes the texts of a recurring task away, unless they were changed since they were reported.
  static func removeSeries(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let id = found.subject.taskSeriesID, let series = try TaskSeriesStore.find(id, in: database) else { return }
    let text = series.terms.text
    guard try isReported(text.name, text.description, in: found, database) else { return }
    let neutral = try neutralName(["Task", "Tarea"], for: found.accused, in: database)
    guard try TaskSeriesStore.removeText(of: id, neutral, by: found.id, transaction) else { return }
    for task in try tasks(of: id, in: database).compactMap({ try TaskStore.find($0, in: database) })
    where task.text.name == text.name && (task.text.description ?? text.description) == text.description {
      try TaskStore.removeText(of: task, neutral, by: found.id, transaction)
    }
    try keep(text.name, text.description, by: found, transaction)
  }

  /// Restores what a case removed, wherever nothing else was written in its place.
  static func restore(_ found: ModerationCaseRecord, _ removed: ReportedContent, _ transaction: Transaction) throws {
    guard let name = try removed.text.map({ try TaskName(text: $0) }) else { return }
    let description = try removed.comment.map { try TaskDescription(text: $0) }
    if found.subject.kind == .taskPart {
      try TaskPartStore.restoreText(name, description, removedBy: found.id, transaction)
    } else {
      try TaskSeriesStore.restoreText(name, description, removedBy: found.id, transaction)
      try TaskStore.restoreText(name, description, removedBy: found.id, transaction)
    }
  }

  /// Whether what stands there is what was reported.
  private static func isReported(
    _ name: TaskName, _ description: TaskDescription?, in found: ModerationCaseRecord, _ database: Database
  ) throws -> Bool {
    let text = ReportedCopy.text(name, description)
    return try ReportStore.copies(of: found.id, in: database).contains { $0.text == text }
  }

  private static func keep(
    _ name: TaskName, _ description: TaskDescription?, by found: ModerationCaseRecord, _ transaction: Transaction
  ) throws {
    let content = ReportedContent(text: name.description, comment: description?.description)
    try ModerationCaseStore.keepRemoved(content, by: found.id, transaction)
  }

  /// The neutral text in place of a removed one: in English, or in Spanish if its account reads that.
  private static func neutralName(_ names: [String], for account: AccountID, in database: Database) throws -> TaskName {
    try TaskName(text: names[try Accounts.find(account, in: database)?.language == .spanish ? 1 : 0])
  }
}
