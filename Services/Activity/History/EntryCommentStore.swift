import ActivityContract
import GRDB
import Operations
import Storage

/// Entries' comments as the search uses them. Code that writes an entry's comment must store it here too; deleting an entry deletes its
/// comment automatically.
enum EntryCommentStore {
  /// Makes the comment of an existing entry searchable; nil removes it from the search.
  static func keep(
    _ comment: String?, of account: AccountID, _ activity: ActivityID, _ day: LocalDay, in database: Database
  ) throws {
    guard let comment else {
      try database.run("DELETE FROM entry_comments WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
      return try removed(of: account, in: database)
    }
    let account = try HistoryAccountStore.number(ofNew: account, in: database)
    try put(FoldedText(comment).description, of: account, activity, day, in: database)
    try EntryCommentBlockStore.tidyOne(account, in: database)
  }

  /// Cleans up after a comment was deleted.
  static func removed(of account: AccountID, in database: Database) throws {
    guard let account = try HistoryAccountStore.number(of: account, in: database) else { return }
    try EntryCommentBlockStore.tidyOne(account, in: database)
  }

  private static func put(
    _ folded: String, of account: Int64, _ activity: ActivityID, _ day: LocalDay, in database: Database
  ) throws {
    try database.run(
      "UPDATE entry_comments SET folded = ? WHERE activity_id = ? AND day = ?", .text(folded), .id(activity), .day(day))
    if database.changesCount > 0 { return }
    guard let keys = CommentKey.range(account, day...day) else { return }
    let last = try database.first(
      "SELECT max(comment_id) FROM entry_comments WHERE comment_id BETWEEN ? AND ?", .integer(keys.lowerBound),
      .integer(keys.upperBound)
    ) { $0.isNull(0) ? nil : Int64($0.number(0)) }
    let key = (last ?? nil).map { $0 + 1 } ?? keys.lowerBound
    try EntryCommentBlockStore.adding(key, folded: folded, in: database) {
      try database.run(
        "INSERT INTO entry_comments (comment_id, activity_id, day, folded) VALUES (?, ?, ?, ?)", .integer(key), .id(activity),
        .day(day), .text(folded))
    }
  }
}
