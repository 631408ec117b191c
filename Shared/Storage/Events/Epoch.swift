import GRDB
import Operations

/// One life of an outbox's numbering. A file restored from a copy continues from an earlier number, so it begins a new epoch.
///
/// An epoch remembers the epochs it descends from and where each of them ends in this file. A subscriber whose cursor is in one of them,
/// not beyond its end, continues without a gap. All others have to begin from the snapshot: those that received events which the file
/// lacks, those from another copy's epoch, and those from an epoch more than ``maxAncestors`` back.
struct Epoch: Sendable {
  let name: String
  /// The last number before the epoch.
  let start: Int64
  /// The last number in this file of each epoch that this one descends from, by name.
  let ends: [String: Int64]

  /// How many earlier epochs are remembered: a file is restored less often than that while a subscriber is away.
  static let maxAncestors = 100

  /// A UUID, so that no two files ever continue under the same name.
  static func freshName() -> String { ID<Epoch>().description }

  /// The epoch of a store that is being opened; a new one if the file is a copy. Records the time of opening.
  static func begin(_ database: Database, at now: Instant) throws -> Epoch {
    var epoch: Epoch?
    try database.inTransaction(.immediate) {
      if try Bool.fetchOne(database, sql: "SELECT is_copy FROM store_states") == true { try renew(database) }
      // This also proves that the file can be written, and creates the write-ahead log that readers look for.
      try database.execute(sql: "UPDATE store_states SET opened_at = ?", arguments: [now])
      epoch = try current(database)
      return .commit
    }
    guard let epoch else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the store has no state") }
    return epoch
  }

  /// The epoch of the file; nil for a copy, which has to begin a new one.
  static func current(_ database: Database) throws -> Epoch? {
    try Row.fetchOne(database, sql: "SELECT epoch, epoch_start FROM store_states WHERE is_copy = 0").map {
      let ends = try Row.fetchAll(database, sql: "SELECT epoch, end_number FROM outbox_ancestors")
      return Epoch(
        name: $0["epoch"], start: $0["epoch_start"],
        ends: Dictionary(uniqueKeysWithValues: ends.map { ($0["epoch"] as String, $0["end_number"] as Int64) }))
    }
  }

  /// Begins a new epoch after the last number published. The positions that subscribers have acknowledged remain valid for this file, and
  /// keep the events that they lack until they acknowledge more.
  private static func renew(_ database: Database) throws {
    let last = try Outbox.lastNumber(database)
    try database.execute(
      sql: "INSERT INTO outbox_ancestors (epoch, end_number) SELECT epoch, ? FROM store_states", arguments: [last])
    try database.execute(
      sql: "DELETE FROM outbox_ancestors WHERE position <= (SELECT max(position) FROM outbox_ancestors) - ?",
      arguments: [maxAncestors])
    try database.execute(
      sql: "UPDATE store_states SET epoch = ?, epoch_start = ?, is_copy = 0", arguments: [freshName(), last])
  }
}

extension Store {
  /// Makes a file begin a new epoch when it is next opened. For a file that was restored by other means than from a ``copy(_:to:)``, whose
  /// copies do so by themselves.
  ///
  /// - Throws: ``StoreFailure/alreadyOpen(path:)`` while the service runs.
  public static func beginNewEpoch(path: String) throws {
    let connections = try Connections(path: path, readers: 0)
    try connections.writer.write { database in
      try database.execute(sql: "UPDATE store_states SET is_copy = 1")
      // The program that made the copy may have left data in pages that the store would have scrubbed.
      if try database.columns(in: "store_states").contains(where: { $0.name == "scrubbed_pages" }) {
        try database.execute(sql: "UPDATE store_states SET scrubbed_pages = 0, scrubbed_at = NULL")
      }
    }
  }
}
