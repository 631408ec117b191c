import Sampling
import Testing
import TransparencyLog

struct TreeTests {
  /// The leaves and roots of the reference tree of certificate transparency.
  private static let leaves = [
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
  ]
  private static let roots = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
  ]

  @Test("A tree's hash needs no more alignment than tasks guarantee across a suspension")
  func alignment() {
    #expect(MemoryLayout<TreeHash>.alignment <= 16 && MemoryLayout<TreeHash>.size == 32)
    #expect(MemoryLayout<Checkpoint>.alignment <= 16)
  }

  @Test("The tree has the reference tree's roots at every size")
  func referenceTree() {
    var range = CompactRange()
    var edge = TileEdge()
    for size in 0...Self.leaves.count {
      let root = TreeHash(bytes: hex(Self.roots[size]))
      #expect(range.root == root && edge.root == root && range.size == size && edge.size == size)
      guard size < Self.leaves.count else { break }
      range.append(.leaf(hex(Self.leaves[size])))
      edge.append(.leaf(hex(Self.leaves[size]))) { _, _ in Issue.record("no tile is full") }
    }
  }

  @Test("Ten thousand random operations agree with the tree as RFC 6962 defines it")
  func slowModel() throws {
    var random = SeededGenerator(6_962)
    for length in [1, 2, 3, 7, 64, 255, 256, 257, 511, 700] {
      var (slow, tiled, range) = (SlowTree(), TiledTree(), CompactRange())
      for _ in 0..<length {
        let entry = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        slow.entries.append(entry)
        tiled.append(entry)
        range.append(.leaf(entry))
      }
      #expect(tiled.edge.root == slow.root(0..<length) && range.root == tiled.edge.root)
      #expect(try TileEdge(size: length, levels: tiled.edge.levels) == tiled.edge)
      for _ in 0..<1_000 { try step(slow, tiled, &random) }
    }
  }

  private func step(_ slow: SlowTree, _ tiled: TiledTree, _ random: inout SeededGenerator) throws {
    let size = Int.random(in: 1...slow.entries.count, using: &random)
    let (index, old) = (Int.random(in: 0..<size, using: &random), Int.random(in: 1...size, using: &random))
    let (root, oldRoot) = (slow.root(0..<size), slow.root(0..<old))
    let reader = tiled.reader(size)
    let inclusion = try InclusionProof(of: index, in: size, reading: reader)
    #expect(inclusion.hashes == slow.path(index, 0..<size))
    try inclusion.verify(.leaf(slow.entries[index]), at: index, in: size, root: root)
    let consistency = try ConsistencyProof(from: old, to: size, reading: reader)
    #expect(consistency.hashes == slow.proof(old, 0..<size, isWhole: true))
    try consistency.verify(from: old, oldRoot, to: size, root)
    #expect(try reader.root(ofFirst: size) == root)

    // Whatever is changed, nothing holds any more.
    let other = TreeHash.leaf([1, 2, 3])
    let bad = InclusionProof(changed(inclusion.hashes, other, &random))
    #expect(throws: LogFault.proofFails) { try bad.verify(.leaf(slow.entries[index]), at: index, in: size, root: root) }
    #expect(throws: LogFault.proofFails) { try inclusion.verify(other, at: index, in: size, root: root) }
    #expect(throws: LogFault.proofFails) {
      try ConsistencyProof(changed(consistency.hashes, other, &random)).verify(from: old, oldRoot, to: size, root)
    }
    #expect(throws: LogFault.proofFails) { try consistency.verify(from: old, other, to: size, root) }
    #expect(throws: LogFault.proofFails) { try consistency.verify(from: old, oldRoot, to: size, other) }
  }

  private func changed(_ hashes: [TreeHash], _ other: TreeHash, _ random: inout SeededGenerator) -> [TreeHash] {
    var hashes = hashes
    switch Int.random(in: 0..<3, using: &random) {
    case 0 where !hashes.isEmpty: hashes[Int.random(in: 0..<hashes.count, using: &random)] = other
    case 1 where !hashes.isEmpty: hashes.removeLast()
    default: hashes.insert(other, at: Int.random(in: 0...hashes.count, using: &random))
    }
    return hashes
  }

  @Test("From the empty tree only the empty proof of the empty root is valid")
  func emptyTree() throws {
    let root = TreeHash.leaf([])
    try ConsistencyProof([]).verify(from: 0, .empty, to: 1, root)
    try ConsistencyProof([]).verify(from: 0, .empty, to: 0, .empty)
    #expect(throws: LogFault.proofFails) { try ConsistencyProof([root]).verify(from: 0, .empty, to: 1, root) }
    #expect(throws: LogFault.proofFails) { try ConsistencyProof([]).verify(from: 0, root, to: 1, root) }
    #expect(throws: LogFault.proofFails) { try ConsistencyProof([]).verify(from: 0, .empty, to: 0, root) }
    for (index, size) in [(-1, 1), (1, 1), (0, 0), (Int.max, Int.max), (0, -1)] {
      #expect(throws: LogFault.outOfRange) { try InclusionProof([]).verify(root, at: index, in: size, root: root) }
      #expect(throws: LogFault.outOfRange) { _ = try InclusionProof(of: index, in: size, reading: SlowTree()) }
    }
    #expect(throws: LogFault.outOfRange) { try ConsistencyProof([]).verify(from: 2, root, to: 1, root) }
    #expect(throws: LogFault.proofFails) {
      try InclusionProof([root]).verify(root, at: Int.max - 1, in: Int.max, root: root)
    }
    #expect(throws: LogFault.proofFails) { try ConsistencyProof([root]).verify(from: 3, root, to: Int.max, root) }
  }
}

/// The bytes that hexadecimal digits write.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
