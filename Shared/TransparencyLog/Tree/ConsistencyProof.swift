/// Proof that a tree begins with all of an earlier one (RFC 6962 §2.1.2).
public struct ConsistencyProof: Hashable, Sendable {
  public let hashes: [TreeHash]

  public init(_ hashes: [TreeHash]) { self.hashes = hashes }

  /// The proof from one size to another; empty from nothing, since every tree begins with that.
  ///
  /// - Throws: ``LogFault/outOfRange``, or what reading throws.
  public init(from old: Int, to size: Int, reading reader: some NodeReader) throws {
    guard 0 <= old, old <= size else { throw LogFault.outOfRange }
    guard old > 0, old < size else {
      hashes = []
      return
    }
    var hashes: [TreeHash] = []
    var range = 0..<size
    while range.upperBound > old {
      let middle = range.lowerBound + TreeNode.split(range.count)
      let isLeft = old <= middle
      hashes.append(try reader.root(over: isLeft ? middle..<range.upperBound : range.lowerBound..<middle))
      range = isLeft ? range.lowerBound..<middle : middle..<range.upperBound
    }
    // What is left begins the tree if it is the old tree itself, whose root everybody knows who asks.
    if range.lowerBound > 0 { hashes.append(try reader.root(over: range)) }
    self.hashes = hashes.reversed()
  }

  /// Checks that the proof leads to both roots.
  ///
  /// - Throws: ``LogFault/outOfRange``, ``LogFault/proofFails``.
  public func verify(from old: Int, _ oldRoot: TreeHash, to size: Int, _ root: TreeHash) throws {
    guard 0 <= old, old <= size else { throw LogFault.outOfRange }
    if old == 0 {
      guard hashes.isEmpty, oldRoot == .empty, size > 0 || root == .empty else { throw LogFault.proofFails }
      return
    }
    var rest = hashes[...]
    guard try Self.roots(0..<size, old, oldRoot, &rest) == Roots(old: oldRoot, new: root), rest.isEmpty else {
      throw LogFault.proofFails
    }
  }

  private struct Roots: Equatable {
    var old: TreeHash
    var new: TreeHash
  }

  private static func roots(_ range: Range<Int>, _ old: Int, _ oldRoot: TreeHash, _ rest: inout ArraySlice<TreeHash>) throws
    -> Roots
  {
    if range.upperBound == old, range.lowerBound == 0 { return Roots(old: oldRoot, new: oldRoot) }
    guard let beside = rest.popLast() else { throw LogFault.proofFails }
    if range.upperBound == old { return Roots(old: beside, new: beside) }
    let middle = range.lowerBound + TreeNode.split(range.count)
    guard old > middle else {
      let left = try roots(range.lowerBound..<middle, old, oldRoot, &rest)
      return Roots(old: left.old, new: TreeHash.node(left.new, beside))
    }
    let right = try roots(middle..<range.upperBound, old, oldRoot, &rest)
    return Roots(old: TreeHash.node(beside, right.old), new: TreeHash.node(beside, right.new))
  }
}
