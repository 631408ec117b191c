import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The texts of parts of tasks and of recurring tasks that moderators removed. Each place where a text was removed is marked with the case, until
/// something else is written there: so a granted appeal gives back exactly those.
///
/// What recurs is removed together: with a recurring task its open occurrences and the last one, from which the next one is made, where they say
/// the same; and so with a part of an occurrence.
enum RemovedTaskText {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "removed texts of tasks") { database in
      for table in ["tasks", "task_series", "task_parts"] {
        try database.execute(
          sql: """
            -- The case that removed the text, while nothing else is written in its place.
            ALTER TABLE \(table) ADD COLUMN removed_by BLOB CHECK (length(removed_by) = 16);
            CREATE INDEX \(table)_removed ON \(table) (removed_by) WHERE removed_by IS NOT NULL;
            """)
      }
    }
  }

  /// Lets the text of a new occurrence be one that was removed if that of its series is.
  static func carry(from series: ID<TaskSeries>, to task: ID<SharedTask>, in database: Database) throws {
    try database.run(
      """
      UPDATE tasks SET removed_by = s.removed_by FROM task_series s
      WHERE s.series_id = ? AND s.removed_by IS NOT NULL AND tasks.task_id = ?
      """, .id(series), .id(task))
  }

  // MARK: - Parts

  /// Takes the text of a part away, unless it was changed since it was reported.
  static func removePart(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let id = found.subject.taskPartID, let part = try TaskPartStore.find(id, in: database),
      try isReported(part.text.title, part.text.description, in: found, database)
    else { return }
    let statement = try database.cachedStatement(
      sql: """
        UPDATE task_parts SET title = :neutral, description = NULL, removed_by = :case
        WHERE task_id = :task AND title = :title AND description IS :description AND author_account IS :author
          AND removed_by IS NULL
        """)
    let neutral = try neutralName(["Part", "Parte"], for: found.accused, in: database)
    var isRemoved = false
    for task in try [part.task] + tasksBeside(part.task, in: database) {
      try statement.execute(arguments: [
        "neutral": neutral, "case": found.id, "task": task, "title": part.text.title, "description": part.text.description,
        "author": part.author,
      ])
      guard database.changesCount > 0 else { continue }
      isRemoved = true
      try TaskStore.settle(task, transaction)
    }
    if isRemoved { try keep(part.text.title, part.text.description, by: found, transaction) }
  }

  private static func restoreParts(
    _ name: TaskName, _ description: TaskDescription?, by found: ModerationCaseRecord, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE task_parts SET title = ?, description = ?, removed_by = NULL WHERE removed_by = ? RETURNING task_id")
    let tasks = try ID<SharedTask>.fetchAll(statement, arguments: [name, description, found.id])
    for task in Set(tasks) { try TaskStore.settle(task, transaction) }
  }

  /// The other occurrences of a task's series that are open, and the last one.
  private static func tasksBeside(_ task: ID<SharedTask>, in database: Database) throws -> [ID<SharedTask>] {
    let statement = try database.cachedStatement(sql: "SELECT series_id FROM tasks WHERE task_id = ? AND series_id IS NOT NULL")
    guard let series = try ID<TaskSeries>.fetchOne(statement, arguments: [task]) else { return [] }
    return try tasks(of: series, in: database).filter { $0 != task }
  }

  private static func tasks(of series: ID<TaskSeries>, in database: Database) throws -> [ID<SharedTask>] {
    let open = try TaskSeriesStore.openOccurrences(of: series, in: database)
    let last = try TaskSeriesStore.lastOccurrence(of: series, before: PlannableDays.all.upperBound.advanced(by: 1), in: database)
    return open + [last].compactMap { $0 }.filter { !open.contains($0) }
  }

  // MARK: - Recurring tasks

  /// Takes the texts of a recurring task away, unless they were changed since they were reported.
  static func removeSeries(_ found: ModerationCaseRecord, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let id = found.subject.taskSeriesID, let series = try TaskSeriesStore.find(id, in: database) else { return }
    let text = series.terms.text
    guard try isReported(text.name, text.description, in: found, database) else { return }
    let neutral = try neutralName(["Task", "Tarea"], for: found.accused, in: database)
    try database.cachedStatement(
      sql: "UPDATE task_series SET name = ?, description = NULL, removed_by = ? WHERE series_id = ? AND removed_by IS NULL"
    ).execute(arguments: [neutral, found.id, id])
    guard database.changesCount > 0 else { return }
    for task in try tasks(of: id, in: database).compactMap({ try TaskStore.find($0, in: database) })
    where task.text.name == text.name && (task.text.description ?? text.description) == text.description {
      try TaskStore.edit(task.id, TaskText(name: neutral, description: nil, dueDay: task.text.dueDay), transaction)
      try database.cachedStatement(sql: "UPDATE tasks SET removed_by = ? WHERE task_id = ?").execute(arguments: [
        found.id, task.id,
      ])
    }
    try keep(text.name, text.description, by: found, transaction)
  }

  private static func restoreSeries(
    _ name: TaskName, _ description: TaskDescription?, by found: ModerationCaseRecord, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    try database.cachedStatement(
      sql: "UPDATE task_series SET name = ?, description = ?, removed_by = NULL WHERE removed_by = ?"
    ).execute(arguments: [name, description, found.id])
    let tasks = try ID<SharedTask>.fetchAll(
      database.cachedStatement(sql: "SELECT task_id FROM tasks WHERE removed_by = ?"), arguments: [found.id])
    for task in try tasks.compactMap({ try TaskStore.find($0, in: database) }) {
      try TaskStore.edit(task.id, TaskText(name: name, description: description, dueDay: task.text.dueDay), transaction)
    }
  }

  // MARK: - Both

  /// Gives back what a case removed, wherever nothing else was written in its place.
  static func restore(_ found: ModerationCaseRecord, _ removed: ReportedContent, _ transaction: Transaction) throws {
    guard let name = try removed.text.map({ try TaskName(text: $0) }) else { return }
    let description = try removed.comment.map { try TaskDescription(text: $0) }
    if found.subject.kind == .taskPart {
      try restoreParts(name, description, by: found, transaction)
    } else {
      try restoreSeries(name, description, by: found, transaction)
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

  /// What is read in place of what was removed: in English, or in Spanish where whose it was reads that.
  private static func neutralName(_ names: [String], for account: AccountID, in database: Database) throws -> TaskName {
    try TaskName(text: names[try Accounts.find(account, in: database)?.language == .spanish ? 1 : 0])
  }
}
