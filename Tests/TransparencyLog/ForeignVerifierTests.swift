import Crypto
import Foundation
import Sampling
import Testing
import TransparencyLog

struct ForeignVerifierTests {
  static let tlog = PythonPeer.interpreter(with: "aics_tlog")
  static let scales = PythonPeer.interpreter(with: "tlog_scales")
  static let json = PythonPeer.interpreter(with: "rfc8785")

  @Test(
    "A third-party verifier accepts checkpoint, tiles, entries and proofs, and detects a changed one",
    .enabled(if: tlog != nil, "no Python with aics-tlog: set RACHA_TEST_PYTHON"))
  func log() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = try SigningKey(name: "racha.example/register", Curve25519.Signing.PrivateKey())
    let (tree, checkpoint, input) = try seventyThousand()
    try tree.write(to: folder, try checkpoint.signed(by: [key]))
    let arguments = [folder.path, key.verifierKey.description, "racha.example/register"]
    #expect(
      try PythonPeer.lines("verify_log.py", by: Self.tlog, arguments, input: input)
        == ["checkpoint True", "tiles 70000 277 274"] + Array(repeating: "inclusion True", count: 7)
        + Array(repeating: "consistency True", count: 7))

    let bundle = folder.appending(path: "tile/entries/100")
    try Data(try EntryBundle.encoded(Array(tree.entries[25_601..<25_857]))).write(to: bundle)
    let damaged = try PythonPeer.lines("verify_log.py", by: Self.tlog, arguments, input: "")
    #expect(damaged == ["checkpoint True", "tiles TileVerificationError"])
  }

  /// A log with its proofs, as lines for the scripts.
  private func seventyThousand() throws -> (TiledTree, Checkpoint, proofs: String) {
    var tree = TiledTree()
    var roots = [TreeHash.empty]
    for number in 0..<70_000 {
      tree.append(Array("leaf \(number)".utf8))
      if number < 1_000 { roots.append(tree.edge.root) }
    }
    let inclusions = try [0, 1, 255, 256, 65_535, 65_536, 69_999].map { index in
      let proof = try InclusionProof(of: index, in: 70_000, reading: tree.reader(70_000))
      return line("inclusion", index, 70_000, [.leaf(tree.entries[index])] + proof.hashes)
    }
    let consistencies = try [1, 2, 3, 255, 256, 257, 1_000].map { old in
      let proof = try ConsistencyProof(from: old, to: 70_000, reading: tree.reader(70_000))
      return line("consistency", old, 70_000, [roots[old]] + proof.hashes)
    }
    let checkpoint = Checkpoint(origin: "racha.example/register", size: 70_000, root: tree.edge.root)
    return (tree, checkpoint, (inclusions + consistencies).joined())
  }

  @Test(
    "Another verifier accepts log, proofs, cosignature and a signature by ML-DSA-44, which Racha passes on and ignores",
    .enabled(if: scales != nil, "no Python with tlog-scales: set RACHA_TEST_PYTHON"))
  func secondAlgorithm() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = try SigningKey(name: "racha.example/register", Curve25519.Signing.PrivateKey())
    let witness = try CosigningKey(name: "witness.example/w1", Curve25519.Signing.PrivateKey())
    let (tree, checkpoint, input) = try seventyThousand()
    var note = try checkpoint.signed(by: [key])
    note.signatures.append(try witness.cosign(note.text, at: 1_790_000_000))
    try tree.write(to: folder, note)
    let keys = [key.verifierKey.description, witness.verifierKey.description]
    let proofs = Array(repeating: "inclusion True", count: 7) + Array(repeating: "consistency True", count: 7)
    let first = try PythonPeer.lines("read_log.py", by: Self.scales, [folder.path] + keys, input: input)
    #expect(
      Array(first.prefix(19)) == [
        "checkpoint racha.example/register 70000", "signed 1 True", "signed 4 True", "root True", "entries 70000",
      ] + proofs)
    try #require(first.count == 21)
    // The same log, signed by a second algorithm as well.
    let later = try VerifierKey(first[19])
    let both = try SignedNote(parsing: Array((note.description + first[20] + "\n").utf8))
    #expect(later.type == 0x06 && both.text == note.text && both.signatures.count == 3)
    #expect(try both.verify(by: [key.verifierKey, later]) == [key.verifierKey])
    #expect(throws: LogFault.notSigned) { try both.verify(by: [later]) }
    try tree.write(to: folder, both)
    let second = try PythonPeer.lines("read_log.py", by: Self.scales, [folder.path] + keys + [first[19]], input: "")
    #expect(second.prefix(5).suffix(4) == ["signed 1 True", "signed 4 True", "signed 6 True", "root True"])

    // Changed leaves and signatures are found.
    let bundle = folder.appending(path: "tile/entries/100")
    try Data(try EntryBundle.encoded(Array(tree.entries[25_601..<25_857]))).write(to: bundle)
    note.signatures[0] = try SigningKey(name: "racha.example/register", Curve25519.Signing.PrivateKey()).sign(note.text)
    try Data(note.description.utf8).write(to: folder.appending(path: "checkpoint"))
    let damaged = try PythonPeer.lines("read_log.py", by: Self.scales, [folder.path] + keys, input: "")
    #expect(damaged.prefix(5).suffix(4) == ["signed 1 False", "signed 4 True", "root True", "entries 69744"])
  }

  private func line(_ kind: String, _ first: Int, _ second: Int, _ hashes: [TreeHash]) -> String {
    let hashes = hashes.map { $0.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
    return "\(kind) \(first) \(second) \(hashes.joined(separator: " "))\n"
  }

  @Test(
    "A thousand random documents are written byte for byte as by another implementation of RFC 8785",
    .enabled(if: json != nil, "no Python with rfc8785: set RACHA_TEST_PYTHON"))
  func canonicalJSON() throws {
    var random = SeededGenerator(8_785)
    let documents = try (0..<1_000).map { _ in try value(&random, 3).text() }
    let lines = try PythonPeer.lines("canonical.py", by: Self.json, [], input: documents.map { $0 + "\n" }.joined())
    #expect(lines.count == 1_000)
    for (line, document) in zip(lines, documents) { #expect(Array(line.utf8) == Array(document.utf8)) }
  }

  private func value(_ random: inout SeededGenerator, _ depth: Int) -> CanonicalJSON {
    switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
    case 0: .null
    case 1: .bool(Bool.random(using: &random))
    case 2: .number(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1_000)
    case 3: .number(number(&random))
    case 4: .string(text(&random))
    case 5: .array((0..<3).map { _ in value(&random, depth - 1) })
    default: .object((0..<4).map { (text(&random) + "\($0)", value(&random, depth - 1)) })
    }
  }

  private func number(_ random: inout SeededGenerator) -> Double {
    let value = Double(bitPattern: random.next())
    // Whole numbers beyond 2^53 are no JSON numbers for that package.
    return value.isFinite && (value.magnitude < 9e15 || value.magnitude > 1e22) ? value : 0.5
  }

  private func text(_ random: inout SeededGenerator) -> String {
    let scalars = ["a", "Z", "\"", "\\", "/", "\n", "\u{1}", "\u{7f}", "é", "e\u{301}", "€", "\u{fb33}", "😂", "𝄞", "\u{e000}"]
    return (0..<Int.random(in: 0...5, using: &random)).map { _ in scalars[Int.random(in: 0..<scalars.count, using: &random)] }
      .joined()
  }
}
