import Crypto
import Sampling
import Testing
import TransparencyLog

struct NoteTests {
  /// The example of c2sp.org/signed-note.
  private static let example = """
    This is an example message.

    — example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=

    """
  private static let exampleKey = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"

  private func key(_ name: String, _ seed: UInt8) throws -> SigningKey {
    try SigningKey(name: name, Curve25519.Signing.PrivateKey(rawRepresentation: Array(repeating: seed, count: 32)))
  }

  @Test("The specification's note is verified by its key")
  func specification() throws {
    let key = try VerifierKey(Self.exampleKey)
    #expect(key.description == Self.exampleKey && key.keyID == 0x530d_903a)
    let note = try SignedNote(parsing: Array(Self.example.utf8))
    #expect(note.text == "This is an example message.\n" && note.description == Self.example)
    #expect(try note.verify(by: [key]) == [key])
    let changed = SignedNote(text: "This is another message.\n", signatures: note.signatures)
    #expect(throws: LogFault.signatureFails(name: "example.com/foo")) { try changed.verify(by: [key]) }
  }

  @Test("During a key change readers of the old and of the new key accept the checkpoint, and unknown keys sign nothing")
  func rotation() throws {
    let (old, new, other) = (
      try key("racha.example/register", 1), try key("racha.example/register", 2), try key("evil.example", 3)
    )
    let checkpoint = Checkpoint(origin: "racha.example/register", size: 1, root: .leaf([]))
    let note = try SignedNote(parsing: Array(try checkpoint.signed(by: [old, new]).description.utf8))
    #expect(try note.verify(by: [old.verifierKey]) == [old.verifierKey])
    #expect(try note.verify(by: [new.verifierKey]) == [new.verifierKey])
    #expect(try note.verify(by: [old.verifierKey, new.verifierKey]).count == 2)
    #expect(throws: LogFault.notSigned) { try note.verify(by: [other.verifierKey]) }
    #expect(throws: LogFault.notSigned) { try note.verify(by: []) }
    var forged = note
    forged.signatures[0] = NoteSignature(
      name: old.verifierKey.name, keyID: old.verifierKey.keyID, bytes: try other.sign(note.text).bytes)
    #expect(throws: LogFault.signatureFails(name: old.verifierKey.name)) {
      try forged.verify(by: [old.verifierKey, new.verifierKey])
    }
    #expect(try forged.verify(by: [new.verifierKey]) == [new.verifierKey])
    for bytes in [[], [1], Array(repeating: UInt8(0), count: 64)] as [[UInt8]] {
      let signature = NoteSignature(name: old.verifierKey.name, keyID: old.verifierKey.keyID, bytes: bytes)
      #expect(throws: LogFault.signatureFails(name: old.verifierKey.name)) {
        try SignedNote(text: note.text, signatures: [signature]).verify(by: [old.verifierKey])
      }
    }
  }

  /// An algorithm that this library does not know, as ML-DSA-44 is one.
  private enum Later: NoteAlgorithm {
    static let type: UInt8 = 0x06
    static func isValid(_ signature: [UInt8], of text: String, by key: VerifierKey) -> Bool { signature == key.material }
  }

  @Test("Signatures of another algorithm are kept, ignored by readers who do not know it, and checked by those who do")
  func anotherAlgorithm() throws {
    let log = try key("racha.example/register", 1)
    let later = try VerifierKey(name: "racha.example/register", type: 0x06, material: Array(repeating: 9, count: 1_312))
    #expect(try VerifierKey(later.description) == later)
    var note = try Checkpoint(origin: "racha.example/register", size: 0, root: .empty).signed(by: [log])
    note.signatures.append(NoteSignature(name: later.name, keyID: later.keyID, bytes: later.material))
    let read = try SignedNote(parsing: Array(note.description.utf8))
    #expect(read == note)
    #expect(try read.verify(by: [log.verifierKey, later]) == [log.verifierKey])
    #expect(throws: LogFault.notSigned) { try read.verify(by: [later]) }
    let all = NoteAlgorithms.standard + [Later.self]
    #expect(try read.verify(by: [log.verifierKey, later], algorithms: all) == [log.verifierKey, later])
    note.signatures[1] = NoteSignature(name: later.name, keyID: later.keyID, bytes: [1])
    #expect(throws: LogFault.signatureFails(name: later.name)) { try note.verify(by: [later], algorithms: all) }
  }

  @Test("A witness's cosignature is valid only for its time, text and key")
  func cosignatures() throws {
    let key = try CosigningKey(name: "witness.example/w1", Curve25519.Signing.PrivateKey())
    let text = Checkpoint(origin: "racha.example/register", size: 0, root: .empty).text
    let signature = try key.cosign(text, at: 1_679_315_147)
    #expect(Cosignature.time(of: signature.bytes) == 1_679_315_147 && signature.bytes.count == 72)
    #expect(try SignedNote(text: text, signatures: [signature]).verify(by: [key.verifierKey]) == [key.verifierKey])
    for index in [0, 7, 8, 71] {
      var bytes = signature.bytes
      bytes[index] ^= 0x80
      let changed = NoteSignature(name: signature.name, keyID: signature.keyID, bytes: bytes)
      #expect(throws: LogFault.signatureFails(name: "witness.example/w1")) {
        try SignedNote(text: text, signatures: [changed]).verify(by: [key.verifierKey])
      }
    }
  }

  @Test(
    "Malformed notes are refused",
    arguments: [
      "", "\n", "\n\n", "text\n", "text\n\n", "text\n\n\n", "text\n— a AAAAAAA=\n", "text\n\n- a AAAAAAA=\n",
      "text\n\n— a AAAAAAA=",
      "text\n\n— a AAAA\n", "text\n\n— a AAAAAA==\n", "text\n\n—  AAAAAAA=\n", "text\n\n— a+b AAAAAAA=\n",
      "text\n\n— a  AAAAAAA=\n",
      "text\n\n— a\u{A0}b AAAAAAA=\n", "text\n\n— a AAAAAAB=\n", "text\n\n— a AAAAAAA\n", "text\n\n— a AAAAAAA=\r\n",
      "te\txt\n\n— a AAAAAAA=\n",
      "text\n\n— a AAAAAAA= \n", "text\n\n— a AAAAAAA=\n\n— a\n", "text\n\n" + String(repeating: "— a AAAAAAA=\n", count: 101),
      String(repeating: "a", count: 1_000_001) + "\n\n— a AAAAAAA=\n",
    ])
  func malformedNotes(_ text: String) {
    #expect(throws: LogFault.malformed(.note)) { _ = try SignedNote(parsing: Array(text.utf8)) }
  }

  @Test("Sixteen signatures are accepted, empty lines belong to the text, and invalid UTF-8 is refused")
  func wellFormedNotes() throws {
    let note = try SignedNote(parsing: Array(("a\n\nb\n\n" + String(repeating: "— a AAAAAAA=\n", count: 16)).utf8))
    #expect(note.text == "a\n\nb\n" && note.signatures.count == 16)
    #expect(throws: LogFault.malformed(.note)) { _ = try SignedNote(parsing: [0xFF] + Array("\n\n— a AAAAAAA=\n".utf8)) }
    #expect(throws: LogFault.malformed(.note)) {
      _ = try SignedNote(parsing: Array("a\n\n— ".utf8) + [0xC3] + Array(" AAAAAAA=\n".utf8))
    }
  }

  @Test(
    "Malformed verifier keys are refused",
    arguments: [
      "", "+", "++", "a+b", "a+00000000+", "+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
      "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
      "example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
      "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2l",
      "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U", "example com/foo+530d903a+AQ==",
    ])
  func malformedKeys(_ text: String) {
    #expect(throws: LogFault.malformed(.verifierKey)) { _ = try VerifierKey(text) }
  }

  @Test("Checkpoints are read with their extension lines, and refused for a wrong line")
  func checkpoints() throws {
    let root = TreeHash.leaf([])
    let checkpoint = Checkpoint(origin: "racha.example/register", size: 20_852_163, root: root, extensions: ["one", "two"])
    #expect(try Checkpoint(text: checkpoint.text) == checkpoint)
    for text in [
      "", "\n", "a\n", "a\n1\n", "a\n1\n\(root)", "a\n01\n\(root)\n", "a\n-1\n\(root)\n", "a\n1\n\(root)\n\n", "\n1\n\(root)\n",
      "a\n9223372036854775808\n\(root)\n", "a\n18446744073709551616\n\(root)\n", "a\n1\nAAAA\n", "a\n1\n\(root)\n\nb\n",
      "a\n 1\n\(root)\n",
      "a\n\n1\n\(root)\n", "a\n1 \n\(root)\n",
    ] {
      #expect(throws: LogFault.malformed(.checkpoint)) { _ = try Checkpoint(text: text) }
    }
  }

  @Test("A proof in a file can be checked offline, and no part of it changed")
  func proofFiles() throws {
    let log = try key("racha.example/register", 1)
    var tree = TiledTree()
    for number in 0..<300 { tree.append(Array("leaf \(number)".utf8)) }
    let note = try Checkpoint(origin: "racha.example/register", size: 300, root: tree.edge.root).signed(by: [log])
    let inclusion = try InclusionProof(of: 123, in: 300, reading: tree.reader(300))
    for extra in [nil, [], [1, 2, 3]] as [[UInt8]?] {
      let proof = LogProof(extra: extra, index: 123, inclusion: inclusion, note: note)
      let read = try LogProof(parsing: Array(proof.description.utf8))
      #expect(read == proof)
      try read.verify(tree.entries[123], origin: "racha.example/register", by: [log.verifierKey])
      #expect(throws: LogFault.proofFails) {
        try read.verify(tree.entries[124], origin: "racha.example/register", by: [log.verifierKey])
      }
      #expect(throws: LogFault.notSigned) { try read.verify(tree.entries[123], origin: "other", by: [log.verifierKey]) }
    }
    let whole = LogProof(index: 123, inclusion: inclusion, note: note).description
    for (old, new) in [
      ("tlog-proof@v1", "tlog-proof@v2"), ("index 123", "index 0123"), ("index 123", "index -1"), ("index 123", "index"),
      ("index 123\n", "extra \nextra \nindex 123\n"), ("index 123\n", "extra A\nindex 123\n"),
      ("index 123\n", "index 123\nAAAA\n"),
      ("index 123\n", "index 123\n" + String(repeating: "\(TreeHash.empty)\n", count: 64)),
      ("index 123", "index 99999999999999999999"),
    ] {
      let changed = Array(whole.replacing(old, with: new).utf8)
      #expect(throws: LogFault.malformed(.proof)) { _ = try LogProof(parsing: changed) }
    }
  }

  @Test("Requests to witnesses are read as they were written")
  func witnessRequests() throws {
    let note = try Checkpoint(origin: "racha.example/register", size: 1, root: .leaf([])).signed(by: [
      try key("racha.example/register", 1)
    ])
    for hashes in [[], [.empty], Array(repeating: .leaf([1]), count: 63)] as [[TreeHash]] {
      let request = WitnessRequest(oldSize: 20, consistency: ConsistencyProof(hashes), note: note)
      #expect(try WitnessRequest(parsing: Array(request.description.utf8)) == request)
    }
    for text in ["", "old\n\n", "old 01\n\n\(note)", "old 1 \n\n\(note)", "old 1\nAA\n\n\(note)", "old 1\n\(note)"] {
      #expect(throws: LogFault.self) { _ = try WitnessRequest(parsing: Array(text.utf8)) }
    }
  }

  @Test("Ten thousand damaged documents are refused or read, without a crash")
  func damage() throws {
    let log = try key("racha.example/register", 1)
    let note = try Checkpoint(origin: "racha.example/register", size: 1, root: .leaf([])).signed(by: [log])
    let proof = LogProof(extra: [1], index: 0, inclusion: InclusionProof([.empty]), note: note)
    let request = WitnessRequest(oldSize: 0, consistency: ConsistencyProof([.empty]), note: note)
    let documents = [
      note.description, proof.description, request.description, log.verifierKey.description, "tile/4/x001/x234/067.p/1",
    ]
    .map { Array($0.utf8) }
    var mutator = Mutator(seed: 24)
    for round in 0..<10_000 {
      let bytes = mutator.mutated(documents[round % 5], with: documents[(round + 1) % 5], max: 4_096)
      let text = String(decoding: bytes, as: UTF8.self)
      if let note = try? SignedNote(parsing: bytes) {
        #expect(try SignedNote(parsing: Array(note.description.utf8)) == note)
        _ = try? note.verify(by: [log.verifierKey])
        _ = try? Checkpoint(text: note.text)
      }
      if let proof = try? LogProof(parsing: bytes) { #expect(Array(proof.description.utf8) == bytes) }
      if let request = try? WitnessRequest(parsing: bytes) { #expect(Array(request.description.utf8) == bytes) }
      if let key = try? VerifierKey(text) { #expect(key.description == text) }
      if let path = try? TilePath(text) { #expect(path.description == text) }
      _ = try? EntryBundle.decoded(bytes, width: round % 256)
    }
  }
}
