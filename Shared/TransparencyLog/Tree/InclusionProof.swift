/// Proof that a tree has an entry: the hashes beside the path from its leaf to the root (RFC 6962 §2.1.1), the leaf's sibling first.
public struct InclusionProof: Hashable, Sendable {
  /// More than any tree's proof has.
  public static let maxHashes = 63

  public let hashes: [TreeHash]

  public init(_ hashes: [TreeHash]) { self.hashes = hashes }

  /// The proof for an entry.
  ///
  /// - Parameters:
  ///   - index: the entry's, from 0.
  ///   - size: of the tree.
  ///   - reader: knows at least the tree's perfect subtrees.
  /// - Throws: ``LogFault/outOfRange``, or what reading throws.
  public init(of index: Int, in size: Int, reading reader: some NodeReader) throws {
    guard 0 <= index, index < size else { throw LogFault.outOfRange }
    var hashes: [TreeHash] = []
    var range = 0..<size
    while range.count > 1 {
      let middle = range.lowerBound + TreeNode.split(range.count)
      let isLeft = index < middle
      hashes.append(try reader.root(over: isLeft ? middle..<range.upperBound : range.lowerBound..<middle))
      range = isLeft ? range.lowerBound..<middle : middle..<range.upperBound
    }
    self.hashes = hashes.reversed()
  }

  /// Checks that the proof leads from a leaf's hash to the tree's root.
  ///
  /// - Throws: ``LogFault/outOfRange``, ``LogFault/proofFails``.
  public func verify(_ leaf: TreeHash, at index: Int, in size: Int, root: TreeHash) throws {
    guard 0 <= index, index < size else { throw LogFault.outOfRange }
    var rest = hashes[...]
    guard try Self.root(0..<size, index, leaf, &rest) == root, rest.isEmpty else { throw LogFault.proofFails }
  }

  private static func root(_ range: Range<Int>, _ index: Int, _ leaf: TreeHash, _ rest: inout ArraySlice<TreeHash>) throws
    -> TreeHash
  {
    if range.count == 1 { return leaf }
    guard let beside = rest.popLast() else { throw LogFault.proofFails }
    let middle = range.lowerBound + TreeNode.split(range.count)
    return index < middle
      ? TreeHash.node(try root(range.lowerBound..<middle, index, leaf, &rest), beside)
      : TreeHash.node(beside, try root(middle..<range.upperBound, index, leaf, &rest))
  }
}
