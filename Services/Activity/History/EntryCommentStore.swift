import ActivityContract
import GRDB
import Operations
import Storage

/// Entries' comments as they are searched. Whoever writes an entry's comment keeps it here too; with an entry that is deleted its
/// comment goes by itself.
enum EntryCommentStore {
  /// Lets the comment of an entry, which is there already, be found by its text; nil where it has none any more.
  static func keep(
    _ comment: String?, of account: AccountID, _ activity: ActivityID, _ day: LocalDay, in database: Database
  ) throws {
    guard let comment else {
      return try database.run("DELETE FROM entry_comments WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
    }
    let folded = FoldedText(comment).description
    try database.run(
      "UPDATE entry_comments SET folded = ? WHERE activity_id = ? AND day = ?", .text(folded), .id(activity), .day(day))
    if database.changesCount > 0 { return }
    let account = try HistoryAccountStore.number(ofNew: account, in: database)
    guard let keys = CommentKey.range(account, day...day) else { return }
    try database.run(
      """
      INSERT INTO entry_comments (comment_id, activity_id, day, folded)
      SELECT coalesce(max(comment_id) + 1, ?1), ?3, ?4, ?5 FROM entry_comments WHERE comment_id BETWEEN ?1 AND ?2
      """, .number(Int(keys.lowerBound)), .number(Int(keys.upperBound)), .id(activity), .day(day), .text(folded))
  }

  /// Removes from the index of texts what was deleted: until then it keeps what it had, and notes that it is gone.
  ///
  /// That is all parts of the index merged into one, a few pages at a time (sqlite.org/fts5.html, section 6.8): the index is everybody's, and
  /// writes wait for each step.
  @Sendable
  static func purge(_ store: Store) async throws {
    // A merging that had begun before does not know of what was deleted since.
    try await merge(store)
    if try await mergeSome(-pagesPerStep, store) { try await merge(store) }
  }

  /// Goes on with the merging that has begun, if there is one, until it is done.
  private static func merge(_ store: Store) async throws {
    while true {
      let start = ContinuousClock.now
      guard try await mergeSome(pagesPerStep, store) else { return }
      // The store is left to others for as long.
      try await Task.sleep(for: ContinuousClock.now - start)
    }
  }

  /// - Parameter pages: of the index, so many; negative to begin with all of its parts.
  /// - Returns: whether there was anything to merge.
  private static func mergeSome(_ pages: Int, _ store: Store) async throws -> Bool {
    try await store.write { transaction in
      let before = transaction.database.totalChangesCount
      try transaction.database.execute(
        sql: "INSERT INTO entry_comment_index (entry_comment_index, rank) VALUES ('merge', ?)", arguments: [pages])
      // One change is the statement's own.
      return transaction.database.totalChangesCount - before > 1
    }
  }

  private static let pagesPerStep = 64
}
