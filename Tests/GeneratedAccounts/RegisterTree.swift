import Crypto
import Foundation
public import GRDB
import TransparencyLog

/// The tiles of the register over leaves that were written by SQL.
public enum RegisterTree {
  /// Makes the tiles over all leaves that the store has, and a checkpoint, which the service signs anew by its own key.
  public static func make(in database: Database) throws {
    let tile = try database.makeStatement(
      sql: """
        INSERT INTO register_tiles (level, number, hashes) VALUES (?, ?, ?)
        ON CONFLICT (level, number) DO UPDATE SET hashes = excluded.hashes
        """)
    var edge = TileEdge()
    let entries = try String.fetchCursor(database, sql: "SELECT entry FROM register_leaves ORDER BY number")
    while let entry = try entries.next() {
      try edge.append(.leaf(Array(entry.utf8))) { place, hashes in
        try tile.execute(arguments: [place.level, place.number, Data(TileHashes.encoded(hashes))])
      }
    }
    for (place, hashes) in edge.tiles {
      try tile.execute(arguments: [place.level, place.number, Data(TileHashes.encoded(hashes))])
    }
    let key = try SigningKey(name: "bench", Curve25519.Signing.PrivateKey())
    let note = try Checkpoint(origin: "bench", size: edge.size, root: edge.root).signed(by: [key])
    try database.execute(
      sql: "INSERT OR REPLACE INTO register_checkpoints (size, note, signed_at) VALUES (?, ?, 0)",
      arguments: [edge.size, note.description])
  }
}
