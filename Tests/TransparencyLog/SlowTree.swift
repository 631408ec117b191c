import TransparencyLog

/// The tree as RFC 6962 §2.1 defines it, by recursion over all leaves: slow, and obviously right.
struct SlowTree: NodeReader {
  var entries: [[UInt8]] = []

  func root(_ range: Range<Int>) -> TreeHash {
    switch range.count {
    case 0: .empty
    case 1: .leaf(entries[range.lowerBound])
    default: .node(root(range.lowerBound..<middle(range)), root(middle(range)..<range.upperBound))
    }
  }

  /// PATH(m, D[n])
  func path(_ index: Int, _ range: Range<Int>) -> [TreeHash] {
    guard range.count > 1 else { return [] }
    let middle = middle(range)
    return index < middle
      ? path(index, range.lowerBound..<middle) + [root(middle..<range.upperBound)]
      : path(index, middle..<range.upperBound) + [root(range.lowerBound..<middle)]
  }

  /// SUBPROOF(m, D[n], b)
  func proof(_ old: Int, _ range: Range<Int>, isWhole: Bool) -> [TreeHash] {
    guard old < range.upperBound else { return isWhole ? [] : [root(range)] }
    let middle = middle(range)
    return old <= middle
      ? proof(old, range.lowerBound..<middle, isWhole: isWhole) + [root(middle..<range.upperBound)]
      : proof(old, middle..<range.upperBound, isWhole: false) + [root(range.lowerBound..<middle)]
  }

  func hash(of node: TreeNode) throws -> TreeHash { root(node.index << node.level..<(node.index + 1) << node.level) }

  private func middle(_ range: Range<Int>) -> Int {
    var half = 1
    while half * 2 < range.count { half *= 2 }
    return range.lowerBound + half
  }
}
