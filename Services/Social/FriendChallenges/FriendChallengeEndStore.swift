import GRDB
import Operations
import SocialContract
import Storage

/// The challenges that end together, with an activity or a friendship. Where they are many, their rows change, and are published, in steps.
///
/// All of them are over at once nevertheless: the table notes which are left and since when they are over, and what reads challenges looks
/// there. Only a new challenge to the same activity has to wait until the former one has ended.
enum FriendChallengeEndStore {
  /// How many are ended in the transaction that ends them all; the others follow in steps.
  static let atOnce = 10

  static func migration(_ number: Int) -> Migration {
    Migration(number, "ends of challenges") { database in
      try database.execute(
        sql: """
          -- The challenges that are over while their rows still say that they wait or go on, and since when. Without a foreign key: to
          -- check it, SQLite would read each of those rows.
          CREATE TABLE friend_challenge_ends (
            sequence INTEGER NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL
          ) STRICT;
          -- What needs an activity is found among the challenges of its account that wait or go on.
          DROP INDEX friend_challenges_by_activity;
          """)
    }
  }

  /// Ends challenges that wait or go on: the first at once, and all others in steps.
  static func end(_ sequences: [Int64], _ transaction: Transaction) throws {
    for sequence in sequences.prefix(atOnce) { try end(sequence, at: transaction.now, transaction) }
    for sequence in sequences.dropFirst(atOnce) {
      try transaction.database.run(
        "INSERT INTO friend_challenge_ends (sequence, at) VALUES (?, ?) ON CONFLICT DO NOTHING", .integer(sequence),
        .instant(transaction.now))
    }
  }

  /// Whether some are left to be ended.
  static func isAnyLeft(in database: Database) throws -> Bool {
    try database.first("SELECT 1 FROM friend_challenge_ends LIMIT 1") { _ in true } ?? false
  }

  /// Ends some of those that are left.
  ///
  /// - Returns: whether there may be more.
  static func settle(limit: Int, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    var ends: [(sequence: Int64, at: Instant)] = []
    try database.each("SELECT sequence, at FROM friend_challenge_ends ORDER BY sequence LIMIT ?", .number(limit)) { row in
      ends.append((sequence: Int64(row.number(0)), at: row.instant(1)))
      return true
    }
    for (sequence, time) in ends {
      try end(sequence, at: time, transaction)
      try database.run("DELETE FROM friend_challenge_ends WHERE sequence = ?", .integer(sequence))
    }
    return ends.count == limit
  }

  /// Ends a challenge, unless it has ended, or was deleted with an account, since it was found.
  private static func end(_ sequence: Int64, at time: Instant, _ transaction: Transaction) throws {
    let id = try transaction.database.first(
      "SELECT friend_challenge_id FROM friend_challenges WHERE sequence = ? AND state IN ('pending', 'accepted')",
      .integer(sequence)
    ) { try $0.id(0) as ID<FriendChallenge> }
    if let id { try FriendChallengeStore.end(id, at: time, transaction) }
  }
}
