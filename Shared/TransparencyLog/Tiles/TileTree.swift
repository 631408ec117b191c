/// A tree whose hashes are read from tiles. It keeps every tile it has read, so make a new one for each proof.
public final class TileTree: NodeReader {
  private let size: Int
  private let read: (Tile) throws -> [TreeHash]
  private var kept: [Tile: [TreeHash]] = [:]

  /// - Parameters:
  ///   - size: of the tree; the tiles at its right edge are partial.
  ///   - read: the hashes of a tile, as many as it is wide; it throws if it cannot be had.
  public init(size: Int, read: @escaping (Tile) throws -> [TreeHash]) {
    self.size = size
    self.read = read
  }

  public func hash(of node: TreeNode) throws -> TreeHash {
    let (tile, range) = try Tile.location(of: node, in: size)
    return TreeHash.root(ofPerfect: try hashes(of: tile)[range])
  }

  private func hashes(of tile: Tile) throws -> [TreeHash] {
    if let hashes = kept[tile] { return hashes }
    let hashes = try read(tile)
    guard hashes.count == tile.width else { throw LogFault.malformed(.tile) }
    kept[tile] = hashes
    return hashes
  }
}
