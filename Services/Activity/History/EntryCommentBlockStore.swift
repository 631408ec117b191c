package import GRDB
import Operations
import Storage

/// The comments of an account in blocks of some hundred consecutive keys, each with a filter of its trigrams: a search skips the blocks
/// that cannot contain its text, and scans the others.
///
/// A block belongs to one account, so that an account is erased by its own rows. Triggers count a block's comments and drop its filter with
/// every change; a block without a filter is scanned. ``EntryCommentStore`` builds the filter again.
package enum EntryCommentBlockStore {
  /// A block with more comments than this is divided.
  static let maxCount = 512
  /// A block with fewer comments than this needs no filter.
  static let minCount = 128

  static func migration(_ number: Int) -> Migration {
    Migration(number, "comment blocks") { database in
      try database.execute(sql: table)
      let accounts = try Int64.fetchAll(database, sql: "SELECT account_number FROM history_accounts")
      for account in accounts { try tidy(account, in: database) }
    }
  }

  private static let table = """
    DROP TRIGGER entry_comment_index_added;
    DROP TRIGGER entry_comment_index_changed;
    DROP TRIGGER entry_comment_index_removed;
    DROP TABLE entry_comment_index;

    CREATE TABLE entry_comment_blocks (
      -- Its comments are those from here to the next block of the account; its first begins with the account's lowest key.
      first_comment INTEGER NOT NULL PRIMARY KEY,
      comments INTEGER NOT NULL CHECK (comments >= 0),
      -- Which trigrams they have; NULL where that is not known or not worth its bytes.
      filter BLOB CHECK (length(filter) = \(TrigramFilter.size))
    ) STRICT;
    CREATE INDEX entry_comment_blocks_untidy ON entry_comment_blocks (first_comment)
      WHERE \(isUntidy);
    INSERT INTO entry_comment_blocks (first_comment, comments)
      SELECT comment_id >> 39 << 39, count(*) FROM entry_comments GROUP BY comment_id >> 39;

    CREATE TRIGGER entry_comment_blocks_added AFTER INSERT ON entry_comments BEGIN
      INSERT INTO entry_comment_blocks (first_comment, comments)
        SELECT new.comment_id >> 39 << 39, 0 WHERE NOT EXISTS (
          SELECT 1 FROM entry_comment_blocks WHERE first_comment BETWEEN new.comment_id >> 39 << 39 AND new.comment_id);
      UPDATE entry_comment_blocks SET comments = comments + 1, filter = NULL WHERE first_comment = (
        SELECT max(first_comment) FROM entry_comment_blocks WHERE first_comment <= new.comment_id);
    END;
    CREATE TRIGGER entry_comment_blocks_changed AFTER UPDATE OF folded ON entry_comments BEGIN
      UPDATE entry_comment_blocks SET filter = NULL WHERE first_comment = (
        SELECT max(first_comment) FROM entry_comment_blocks WHERE first_comment <= new.comment_id);
    END;
    CREATE TRIGGER entry_comment_blocks_removed AFTER DELETE ON entry_comments BEGIN
      UPDATE entry_comment_blocks SET comments = comments - 1, filter = NULL WHERE first_comment = (
        SELECT max(first_comment) FROM entry_comment_blocks WHERE first_comment <= old.comment_id);
      DELETE FROM entry_comment_blocks WHERE comments = 0 AND first_comment = (
        SELECT max(first_comment) FROM entry_comment_blocks WHERE first_comment <= old.comment_id);
    END;
    """

  private static let isUntidy = "comments > \(maxCount) OR (filter IS NULL AND comments >= \(minCount))"

  // MARK: - Reading

  /// A block as a search uses it.
  struct Block {
    let keys: ClosedRange<Int64>
    let count: Int
  }

  static let blocks = """
    SELECT first_comment, comments, filter FROM entry_comment_blocks WHERE first_comment BETWEEN ? AND ?
    ORDER BY first_comment DESC
    """

  /// Reads the blocks that may contain comments with these keys and a text, the newest first, until the body returns false.
  ///
  /// - Parameter bits: the text's bits in a ``TrigramFilter``.
  static func each(
    within keys: ClosedRange<Int64>, of account: Int64, mayHold bits: Set<Int>, in database: Database,
    _ body: (Block) throws -> Bool
  ) throws {
    guard let all = CommentKey.range(account, CommentKey.days) else { return }
    var upper = keys.upperBound
    try database.each(blocks, .integer(all.lowerBound), .integer(keys.upperBound)) { row in
      let first = Int64(row.number(0))
      let block = Block(keys: max(first, keys.lowerBound)...upper, count: row.number(1))
      if row.isNull(2) || TrigramFilter(bytes: row.bytes(2)).mayHold(bits) {
        guard try body(block) else { return false }
      }
      guard first > keys.lowerBound else { return false }
      upper = first - 1
      return true
    }
  }

  /// How many comments a search for a text has to scan, up to a maximum.
  static func count(
    within keys: ClosedRange<Int64>, of account: Int64, mayHold bits: Set<Int>, maximum: Int, in database: Database
  ) throws -> Int {
    var count = 0
    try each(within: keys, of: account, mayHold: bits, in: database) {
      count += $0.count
      return count < maximum
    }
    return min(count, maximum)
  }

  // MARK: - Writing

  /// Runs the insertion of a comment, and adds the comment's trigrams to its block's filter where it has one.
  static func adding(_ key: Int64, folded text: String, in database: Database, _ insertion: () throws -> Void) throws {
    let block = try database.first(
      "SELECT first_comment, filter FROM entry_comment_blocks WHERE first_comment <= ? ORDER BY first_comment DESC LIMIT 1",
      .integer(key)
    ) { row in (first: Int64(row.number(0)), filter: row.isNull(1) ? nil : TrigramFilter(bytes: row.bytes(1))) }
    try insertion()
    guard let block, var filter = block.filter, CommentKey.account(of: block.first) == CommentKey.account(of: key) else { return }
    filter.insert(folded: text)
    try set(filter, of: block.first, in: database)
  }

  /// Divides one block of the account that has grown too large, or builds one missing filter.
  ///
  /// - Returns: whether there was such a block.
  @discardableResult
  static func tidyOne(_ account: Int64, in database: Database) throws -> Bool {
    guard let all = CommentKey.range(account, CommentKey.days) else { return false }
    let first = try database.first(
      "SELECT first_comment FROM entry_comment_blocks WHERE (\(isUntidy)) AND first_comment BETWEEN ? AND ? LIMIT 1",
      .integer(all.lowerBound), .integer(all.upperBound)
    ) { Int64($0.number(0)) }
    guard let first else { return false }
    try divide(first, upTo: all.upperBound, in: database)
    return true
  }

  /// Divides and filters all blocks of an account that need it.
  package static func tidy(_ account: Int64, in database: Database) throws {
    while try tidyOne(account, in: database) {}
  }

  /// Divides a block into blocks of half the maximum size, each with its filter.
  private static func divide(_ first: Int64, upTo last: Int64, in database: Database) throws {
    let next = try database.first(
      "SELECT first_comment FROM entry_comment_blocks WHERE first_comment > ? ORDER BY first_comment LIMIT 1", .integer(first)
    ) { Int64($0.number(0)) }
    var parts: [(first: Int64, count: Int, filter: TrigramFilter)] = [(first, 0, TrigramFilter())]
    let count =
      try database.first(
        "SELECT comments FROM entry_comment_blocks WHERE first_comment = ?", .integer(first)
      ) { $0.number(0) } ?? 0
    let size = count > maxCount ? maxCount / 2 : maxCount
    try database.each(
      "SELECT comment_id, folded FROM entry_comments WHERE comment_id BETWEEN ? AND ? ORDER BY comment_id", .integer(first),
      .integer(min(last, next.map { $0 - 1 } ?? last))
    ) { row in
      if parts[parts.count - 1].count == size { parts.append((Int64(row.number(0)), 0, TrigramFilter())) }
      parts[parts.count - 1].count += 1
      parts[parts.count - 1].filter.insert(folded: row.text(1))
      return true
    }
    for part in parts {
      try database.run(
        """
        INSERT INTO entry_comment_blocks (first_comment, comments, filter) VALUES (?1, ?2, ?3)
        ON CONFLICT (first_comment) DO UPDATE SET comments = ?2, filter = ?3
        """, .integer(part.first), .number(part.count), .bytes(part.filter.bytes))
    }
  }

  private static func set(_ filter: TrigramFilter, of first: Int64, in database: Database) throws {
    try database.run(
      "UPDATE entry_comment_blocks SET filter = ? WHERE first_comment = ?", .bytes(filter.bytes), .integer(first))
  }
}
