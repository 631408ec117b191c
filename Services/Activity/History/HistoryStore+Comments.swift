import GRDB
import Operations
import Storage

/// Entries by their comments.
extension HistoryStore {
  static let commentsByText = """
    SELECT activity_id, day FROM entry_comments
    WHERE comment_id BETWEEN ?1 AND ?2 AND instr(folded, ?3) > 0 ORDER BY comment_id DESC
    """

  /// Scans for entries whose comments contain a text, newest day first, until the body returns false.
  static func eachComment(
    holding text: FoldedText, _ keys: ClosedRange<Int64>, in database: Database, _ body: (HistoryPosition) throws -> Bool
  ) throws {
    try database.each(commentsByText, .integer(keys.lowerBound), .integer(keys.upperBound), .text(text.description)) {
      try body(HistoryPosition(day: $0.day(1), activity: try $0.id(0)))
    }
  }

  static let commentOfEntry = "SELECT instr(folded, ?) > 0 FROM entry_comments WHERE activity_id = ? AND day = ?"

  /// Whether the comment of an entry contains a text.
  static func hasComment(_ position: HistoryPosition, holding text: FoldedText, in database: Database) throws -> Bool {
    try database.first(commentOfEntry, .text(text.description), .id(position.activity), .day(position.day)) { $0.truth(0) }
      ?? false
  }
}
