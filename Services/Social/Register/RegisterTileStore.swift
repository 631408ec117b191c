import Foundation
import GRDB
import Operations
import SocialContract
import Storage
import TransparencyLog

/// The tree over the leaves of the register: its tiles, and the checkpoints that were signed over it.
///
/// Tiles and checkpoint go on together, in one transaction: whatever ends the process, the tree is that of the last checkpoint. A tile
/// that is full never changes, one at the right edge only grows, so that the partial tiles of all earlier sizes are its beginnings.
enum RegisterTileStore {
  static let schema = """
    CREATE TABLE register_tiles (
      level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 7),
      number INTEGER NOT NULL CHECK (number >= 0),
      -- up to 256 of them, 32 bytes each
      hashes BLOB NOT NULL CHECK (length(hashes) BETWEEN 32 AND 8192 AND length(hashes) % 32 = 0),
      PRIMARY KEY (level, number)
    ) STRICT;
    CREATE TRIGGER register_tiles_only_grow BEFORE UPDATE ON register_tiles
    WHEN NEW.level <> OLD.level OR NEW.number <> OLD.number
      OR substr(NEW.hashes, 1, length(OLD.hashes)) <> OLD.hashes
    BEGIN SELECT RAISE(ABORT, 'a tile only grows'); END;
    CREATE TRIGGER register_tiles_are_not_deleted BEFORE DELETE ON register_tiles
    BEGIN SELECT RAISE(ABORT, 'a tile is never deleted'); END;
    CREATE TABLE register_checkpoints (
      size INTEGER NOT NULL PRIMARY KEY CHECK (size >= 0),
      note TEXT NOT NULL,
      signed_at INTEGER NOT NULL
    ) STRICT;
    -- The log's name; a further row if it continues under another name.
    CREATE TABLE register_origins (
      position INTEGER NOT NULL PRIMARY KEY CHECK (position >= 1),
      origin TEXT NOT NULL UNIQUE,
      -- of the store's outbox: another one shows that the file was put back from a copy
      epoch TEXT NOT NULL,
      -- how many leaves there were when it got this name
      first_size INTEGER NOT NULL CHECK (first_size >= 0),
      begun_at INTEGER NOT NULL
    ) STRICT;
    """

  /// The last checkpoint.
  struct Signed: Sendable {
    let size: Int
    let note: String
    let at: Instant
  }

  /// Nil before the first one.
  static func last(_ database: Database) throws -> Signed? {
    try database.first("SELECT size, note, signed_at FROM register_checkpoints ORDER BY size DESC LIMIT 1") {
      Signed(size: $0.number(0), note: $0.text(1), at: $0.instant(2))
    }
  }

  /// The first stored checkpoint that covers a leaf; nil where none does yet.
  static func first(covering leaf: Int, _ database: Database) throws -> String? {
    try database.first(
      "SELECT note FROM register_checkpoints WHERE size > ? ORDER BY size LIMIT 1", .number(leaf)
    ) { $0.text(0) }
  }

  /// The last one.
  ///
  /// - Throws: `unavailable` before the first one.
  static func required(_ database: Database) throws -> Signed {
    guard let last = try last(database) else { throw Failure(RequestFailure.unavailable, retryAfterSeconds: 1) }
    return last
  }

  /// The hashes of a tile, as many as it is wide.
  ///
  /// - Throws: ``LogFault/tileMissing(path:)``.
  static func hashes(of tile: Tile, in database: Database) throws -> [TreeHash] {
    try TileHashes.decoded(try bytes(of: tile, in: database), width: tile.width)
  }

  /// The bytes of a tile.
  ///
  /// - Throws: ``LogFault/tileMissing(path:)``.
  static func bytes(of tile: Tile, in database: Database) throws -> [UInt8] {
    let bytes = try database.first(
      "SELECT substr(hashes, 1, ?3) FROM register_tiles WHERE level = ?1 AND number = ?2", .number(tile.level),
      .number(tile.number), .number(tile.width * TreeHash.byteCount)
    ) { $0.bytes(0) }
    guard let bytes, bytes.count == tile.width * TreeHash.byteCount else {
      throw LogFault.tileMissing(path: TilePath.hashes(tile).description)
    }
    return bytes
  }

  /// The tree of a size, for proofs.
  static func tree(of size: Int, in database: Database) -> TileTree {
    TileTree(size: size) { try hashes(of: $0, in: database) }
  }

  /// The right edge of the tree of a size.
  static func edge(of size: Int, in database: Database) throws -> TileEdge {
    let levels = try TileEdge.widths(size).enumerated().map { level, width in
      width == 0
        ? []
        : try hashes(
          of: Tile(level: level, number: size >> (Tile.height * (level + 1)), width: width), in: database)
    }
    return try TileEdge(size: size, levels: levels)
  }

  /// Keeps the tiles by which the tree has grown, and the checkpoint over it.
  static func advance(_ tiles: [(tile: Tile, hashes: [TreeHash])], _ size: Int, note: String, _ transaction: Transaction) throws {
    for (tile, hashes) in tiles {
      try transaction.database.run(
        """
        INSERT INTO register_tiles (level, number, hashes) VALUES (?, ?, ?)
        ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes
        """, .number(tile.level), .number(tile.number), .bytes(TileHashes.encoded(hashes)))
    }
    try transaction.database.run(
      """
      INSERT INTO register_checkpoints (size, note, signed_at) VALUES (?, ?, ?)
      ON CONFLICT (size) DO UPDATE SET note = excluded.note, signed_at = excluded.signed_at
      """, .number(size), .text(note), .instant(transaction.now))
  }

  /// Adds a witness's cosignature to a checkpoint, unless that was signed again meanwhile.
  static func add(_ cosignature: String, to signed: Signed, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE register_checkpoints SET note = note || ?3 WHERE size = ?1 AND note = ?2", .number(signed.size),
      .text(signed.note), .text(cosignature))
  }

  /// Forgets checkpoints that a later one has replaced long ago: a hundred at most, of the oldest hundred, since the larger is the later.
  static func forgetCheckpoints(before time: Instant, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      DELETE FROM register_checkpoints WHERE size IN (
        SELECT size FROM (SELECT size, signed_at FROM register_checkpoints ORDER BY size LIMIT 100) WHERE signed_at < ?)
        AND size < (SELECT max(size) FROM register_checkpoints)
      """, .instant(time))
  }

  // MARK: - The log's name

  /// What the log is called.
  struct Origin: Sendable {
    let position: Int
    let name: String
    let epoch: String
  }

  /// What the log is called now; nil before it has a name.
  static func origin(_ database: Database) throws -> Origin? {
    try database.first("SELECT position, origin, epoch FROM register_origins ORDER BY position DESC LIMIT 1") {
      Origin(position: $0.number(0), name: $0.text(1), epoch: $0.text(2))
    }
  }

  /// The first name of the log, which its keys keep. Nil before it has one.
  static func firstOrigin(_ database: Database) throws -> String? {
    try database.first("SELECT origin FROM register_origins WHERE position = 1") { $0.text(0) }
  }

  /// Gives the log its name, which it keeps until the store is restored from a backup.
  static func name(_ origin: Origin, _ transaction: Transaction) throws {
    try transaction.database.run(
      "INSERT INTO register_origins (position, origin, epoch, first_size, begun_at) VALUES (?, ?, ?, ?, ?)",
      .number(origin.position), .text(origin.name), .text(origin.epoch),
      .number(try RegisterStore.leafCount(transaction.database)), .instant(transaction.now))
  }
}
