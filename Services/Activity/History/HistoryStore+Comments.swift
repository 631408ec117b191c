import GRDB
import Operations
import Storage

/// Entries by their comments.
extension HistoryStore {
  static let commentsByIndex = """
    SELECT c.activity_id, c.day, instr(c.folded, ?4) > 0
    FROM entry_comment_index x JOIN entry_comments c ON c.comment_id = x.rowid
    WHERE x.entry_comment_index MATCH ?1 AND x.rowid BETWEEN ?2 AND ?3 ORDER BY x.rowid DESC
    """

  /// Reads the entries whose comments have all of a text's trigrams, newest day first, until that returns false.
  static func eachComment(
    matching trigrams: String, _ keys: ClosedRange<Int64>, _ text: FoldedText, in database: Database,
    _ body: (HistoryPosition, _ holdsText: Bool) throws -> Bool
  ) throws {
    try database.each(
      commentsByIndex, .text(trigrams), .integer(keys.lowerBound), .integer(keys.upperBound), .text(text.description)
    ) { try body(HistoryPosition(day: $0.day(1), activity: try $0.id(0)), $0.truth(2)) }
  }

  /// How many comments the index finds, up to a maximum.
  static func countComments(
    matching trigrams: String, _ keys: ClosedRange<Int64>, maximum: Int, in database: Database
  ) throws -> Int {
    try database.first(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM entry_comment_index WHERE entry_comment_index MATCH ? AND rowid BETWEEN ? AND ? LIMIT \(maximum))
      """, .text(trigrams), .number(Int(keys.lowerBound)), .number(Int(keys.upperBound))
    ) { $0.number(0) } ?? 0
  }

  static let commentsByText = """
    SELECT activity_id, day FROM entry_comments
    WHERE comment_id BETWEEN ?1 AND ?2 AND instr(folded, ?3) > 0 ORDER BY comment_id DESC
    """

  /// Reads the entries whose comments hold a text, newest day first, until that returns false: by going through all comments.
  static func eachComment(
    holding text: FoldedText, _ keys: ClosedRange<Int64>, in database: Database, _ body: (HistoryPosition) throws -> Bool
  ) throws {
    try database.each(commentsByText, .integer(keys.lowerBound), .integer(keys.upperBound), .text(text.description)) {
      try body(HistoryPosition(day: $0.day(1), activity: try $0.id(0)))
    }
  }

  /// The day of the comment behind so many newer ones; nil where there are not so many.
  static func dayOfComment(behind newer: Int, _ keys: ClosedRange<Int64>, in database: Database) throws -> LocalDay? {
    try database.first(
      "SELECT day FROM entry_comments WHERE comment_id BETWEEN ? AND ? ORDER BY comment_id DESC LIMIT 1 OFFSET \(newer)",
      .integer(keys.lowerBound), .integer(keys.upperBound)
    ) { $0.day(0) }
  }

  static let commentOfEntry = "SELECT instr(folded, ?) > 0 FROM entry_comments WHERE activity_id = ? AND day = ?"

  /// Whether the comment of an entry holds a text.
  static func hasComment(_ position: HistoryPosition, holding text: FoldedText, in database: Database) throws -> Bool {
    try database.first(commentOfEntry, .text(text.description), .id(position.activity), .day(position.day)) { $0.truth(0) }
      ?? false
  }
}
