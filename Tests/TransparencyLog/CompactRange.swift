import TransparencyLog

/// The roots of the perfect subtrees that a growing tree consists of: all that appending and the root need, however many leaves there are.
struct CompactRange: Hashable, Sendable {
  /// How many leaves were appended.
  private(set) var size = 0
  private var roots: [TreeHash] = []

  /// Appends the hash of a leaf.
  mutating func append(_ leaf: TreeHash) {
    var hash = leaf
    for _ in 0..<size.trailingOneBitCount { hash = TreeHash.node(roots.removeLast(), hash) }
    roots.append(hash)
    size += 1
  }

  /// The root of the tree (RFC 6962 §2.1).
  var root: TreeHash {
    guard let last = roots.last else { return .empty }
    return roots.dropLast().reversed().reduce(last) { TreeHash.node($1, $0) }
  }
}

extension Int {
  fileprivate var trailingOneBitCount: Int { (~self).trailingZeroBitCount }
}
