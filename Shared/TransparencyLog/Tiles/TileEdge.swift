/// The right edge of a tiled tree: the partial tile of each level. Appending fills them, and hands over each that is full.
public struct TileEdge: Hashable, Sendable {
  /// How many leaves the tree has.
  public private(set) var size = 0
  /// The hashes of each level's partial tile, fewer than 256 each; the levels above the last are empty.
  public private(set) var levels: [[TreeHash]] = []

  public init() {}

  /// The edge as it was kept.
  ///
  /// - Throws: ``LogFault/malformed(_:)`` if a tree of that size has another one.
  public init(size: Int, levels: [[TreeHash]]) throws {
    guard size >= 0, Self.widths(size) == levels.map(\.count) else { throw LogFault.malformed(.edge) }
    self.size = size
    self.levels = levels
  }

  /// How wide the partial tiles of a tree are, from level 0; 0 where all tiles of a level are full.
  public static func widths(_ size: Int) -> [Int] {
    var widths: [Int] = []
    while size >> (Tile.height * widths.count) > 0 {
      widths.append(size >> (Tile.height * widths.count) & (Tile.fullWidth - 1))
    }
    return widths
  }

  /// Appends the hash of a leaf.
  ///
  /// - Parameter full: is handed each tile that is full by it.
  public mutating func append(_ leaf: TreeHash, full: (Tile, [TreeHash]) throws -> Void) rethrows {
    var hash = leaf
    var level = 0
    while true {
      if level == levels.count { levels.append([]) }
      levels[level].append(hash)
      guard levels[level].count == Tile.fullWidth else { break }
      let hashes = levels[level]
      levels[level] = []
      try full(Tile(level: level, number: size >> (Tile.height * (level + 1))), hashes)
      hash = TreeHash.root(ofPerfect: hashes[...])
      level += 1
    }
    size += 1
  }

  /// The partial tiles, from level 0.
  public var tiles: [(tile: Tile, hashes: [TreeHash])] {
    levels.enumerated().compactMap { level, hashes in
      hashes.isEmpty
        ? nil : (Tile(level: level, number: size >> (Tile.height * (level + 1)), width: hashes.count), hashes)
    }
  }

  /// The root of the tree (RFC 6962 §2.1).
  public var root: TreeHash {
    var root: TreeHash?
    for hashes in levels {
      for node in TreeNode.cover(0..<hashes.count).reversed() {
        let start = node.index << node.level
        let hash = TreeHash.root(ofPerfect: hashes[start..<start + 1 << node.level])
        root = root.map { TreeHash.node(hash, $0) } ?? hash
      }
    }
    return root ?? .empty
  }
}
