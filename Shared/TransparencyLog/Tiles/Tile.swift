/// A tile: up to 256 hashes that stand side by side in the tree, at a level that is a multiple of 8 (c2sp.org/tlog-tiles, “Merkle Tree”).
public struct Tile: Hashable, Sendable {
  /// How many levels of the tree a tile spans.
  public static let height = 8
  /// How many hashes a full tile has.
  public static let fullWidth = 256
  /// The highest level that a path may name.
  public static let maxLevel = 63

  /// 0 for hashes of leaves; each level above has the roots of the full tiles below.
  public let level: Int
  /// Which one of its level, from 0.
  public let number: Int
  /// How many hashes it has, 1 to 256.
  public let width: Int

  public init(level: Int, number: Int, width: Int = Tile.fullWidth) {
    self.level = level
    self.number = number
    self.width = width
  }

  public var isFull: Bool { width == Self.fullWidth }

  /// The tile of that level and number in a tree of a size; nil if the tree has none.
  public static func tile(level: Int, number: Int, in size: Int) -> Tile? {
    guard level >= 0, number >= 0, size > 0 else { return nil }
    let hashes = size >> (height * level)
    guard number <= (hashes - 1) >> height, hashes > 0 else { return nil }
    return Tile(level: level, number: number, width: min(fullWidth, hashes - number * fullWidth))
  }

  /// Where a node's hash comes from: the tile of that size's tree, and which of its hashes.
  static func location(of node: TreeNode, in size: Int) throws -> (tile: Tile, hashes: Range<Int>) {
    let inner = node.level % height
    let first = node.index << inner
    guard let tile = tile(level: node.level / height, number: first >> height, in: size) else { throw LogFault.outOfRange }
    let start = first & (fullWidth - 1)
    guard start + 1 << inner <= tile.width else { throw LogFault.outOfRange }
    return (tile, start..<start + 1 << inner)
  }

  /// All tiles of a tree, level by level.
  public static func all(in size: Int) -> [Tile] {
    var tiles: [Tile] = []
    var level = 0
    while size >> (height * level) > 0 {
      for number in 0...(size >> (height * level) - 1) >> height {
        if let tile = tile(level: level, number: number, in: size) { tiles.append(tile) }
      }
      level += 1
    }
    return tiles
  }
}
