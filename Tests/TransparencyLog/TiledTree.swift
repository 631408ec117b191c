import Foundation
import TransparencyLog

/// A log in memory, as tiles: what a server keeps.
struct TiledTree {
  var edge = TileEdge()
  var full: [Tile: [TreeHash]] = [:]
  var entries: [[UInt8]] = []

  mutating func append(_ entry: [UInt8]) {
    entries.append(entry)
    edge.append(.leaf(entry)) { full[$0] = $1 }
  }

  func reader(_ size: Int) -> TileTree {
    let kept = Dictionary(uniqueKeysWithValues: edge.tiles.map { ([$0.tile.level, $0.tile.number], $0.hashes) })
    let full = full
    return TileTree(size: size) { tile in
      let whole = full[Tile(level: tile.level, number: tile.number)] ?? kept[[tile.level, tile.number]] ?? []
      guard whole.count >= tile.width else { throw LogFault.tileMissing(path: TilePath.hashes(tile).description) }
      return Array(whole.prefix(tile.width))
    }
  }

  /// Writes all that a log serves at its size into a folder.
  func write(to folder: URL, _ note: SignedNote) throws {
    try put(Array(note.description.utf8), folder.appending(path: "checkpoint"))
    let parts = edge.tiles.map { ($0.tile, $0.hashes) } + full.map { ($0.key, $0.value) }
    for (tile, hashes) in parts {
      try put(TileHashes.encoded(hashes), folder.appending(path: TilePath.hashes(tile).description))
      guard tile.level == 0 else { continue }
      let bundle = try EntryBundle.encoded(entries[tile.number * 256..<tile.number * 256 + tile.width])
      try put(bundle, folder.appending(path: TilePath.entries(number: tile.number, width: tile.width).description))
    }
  }

  private func put(_ bytes: [UInt8], _ file: URL) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }
}
