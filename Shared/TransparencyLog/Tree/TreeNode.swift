/// The position of a perfect subtree: over the entries `index << level ..< (index + 1) << level`.
public struct TreeNode: Hashable, Sendable {
  /// 0 for leaves.
  public let level: Int
  /// Which one of its level, from 0.
  public let index: Int

  public init(level: Int, index: Int) {
    self.level = level
    self.index = index
  }

  /// The perfect subtrees that together are the subtree over a range of entries, from the left; the range is one that splitting the tree
  /// makes (RFC 6962 §2.1), so it begins at a multiple of the greatest power of two in its count.
  static func cover(_ range: Range<Int>) -> [TreeNode] {
    var nodes: [TreeNode] = []
    var start = range.lowerBound
    while start < range.upperBound {
      let level = Int.bitWidth - 1 - (range.upperBound - start).leadingZeroBitCount
      nodes.append(TreeNode(level: level, index: start >> level))
      start += 1 << level
    }
    return nodes
  }

  /// The greatest power of two below the count: where a tree of so many leaves, at least two, is split.
  static func split(_ count: Int) -> Int { 1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount) }
}

/// What knows the hashes of perfect subtrees.
public protocol NodeReader {
  /// - Throws: ``LogFault/tileMissing(path:)`` or what reading throws.
  func hash(of node: TreeNode) throws -> TreeHash
}

extension NodeReader {
  /// The root over a range of entries that splitting the tree makes, and that is not empty.
  func root(over range: Range<Int>) throws -> TreeHash {
    let hashes = try TreeNode.cover(range).map(hash)
    return hashes.dropLast().reversed().reduce(hashes[hashes.count - 1]) { TreeHash.node($1, $0) }
  }

  /// The root of the tree's first entries.
  public func root(ofFirst size: Int) throws -> TreeHash { size == 0 ? .empty : try root(over: 0..<size) }
}
