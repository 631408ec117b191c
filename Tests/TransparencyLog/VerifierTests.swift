import Crypto
import Foundation
import Testing
import TransparencyLog

@Suite("Detecting changes that a log's operator makes")
struct VerifierTests {
  private func finding(_ body: () async throws -> LogVerifier.Report) async throws -> LogFinding? {
    do {
      _ = try await body()
      return nil
    } catch let finding as LogFinding {
      return finding
    }
  }

  @Test("An honest log is trusted as it grows, from nothing to hundreds of leaves")
  func honest() async throws {
    var log = Operator(0)
    var memory: LogMemory?
    var size = 0
    for step in [0, 1, 0, 5, 250, 1, 255, 256, 1] {
      log.grow(step)
      let report = try await log.visit(memory)
      size += step
      #expect(
        report.memory.checkpoint.size == size && report.added == (memory == nil ? size : step) && report.continuations.isEmpty)
      memory = report.memory
    }
  }

  /// What the operator does to older leaves, making tree and signature anew.
  enum Rewriting: CaseIterable {
    case changed, removed, addedInThePast, exchanged, lastChanged

    func apply(to log: inout Operator) {
      switch self {
      case .changed: log.entries[7][0] ^= 1
      case .removed: log.entries.remove(at: 7)
      case .addedInThePast: log.entries.insert(Array("late".utf8), at: 7)
      case .exchanged: log.entries.swapAt(7, 8)
      case .lastChanged: log.entries[299][0] ^= 1
      }
    }
  }

  @Test(
    "Leaves changed, removed, added in the past or exchanged are detected, whatever was added since",
    arguments: Rewriting.allCases)
  func rewritten(_ rewriting: Rewriting) async throws {
    for growth in [0, 1, 300] {
      var log = Operator(300)
      let memory = try await log.visit().memory
      rewriting.apply(to: &log)
      log.grow(growth)
      let found = try await finding { try await log.visit(memory) }
      switch (rewriting, growth) {
      case (.removed, 0): #expect(found == .rewound(size: 299, known: 300))
      case (.addedInThePast, _), (.removed, 300), (_, 1...):
        #expect(found == .rewritten(size: 300) || found == .forked(size: 300))
      default: #expect(found == .forked(size: 300))
      }
      #expect(found != nil)
    }
  }

  @Test("A leaf changed where it is served, with an unchanged tree, is detected at the first visit")
  func served() async throws {
    let log = Operator(300)
    var files = try log.served()
    let path = "tile/entries/000"
    var entries = log.entries[0..<256].map { $0 }
    entries[9][0] ^= 1
    files[path] = try EntryBundle.encoded(entries)
    #expect(try await finding { try await Operator.visit(files, keys: [log.key.verifierKey]) } == .entryChanged(number: 9))
    entries.swapAt(0, 1)
    files[path] = try EntryBundle.encoded(entries)
    #expect(try await finding { try await Operator.visit(files, keys: [log.key.verifierKey]) } == .entryChanged(number: 0))
    files[path] = Array((files[path] ?? []).dropLast())
    #expect(try await finding { try await Operator.visit(files, keys: [log.key.verifierKey]) } == .unreadable(path: path))
    files[path] = nil
    #expect(try await finding { try await Operator.visit(files, keys: [log.key.verifierKey]) } == .missing(path: path))
  }

  @Test("A leaf changed with its lowest tile, a changed upper tile, or a false root do not fit the tree")
  func tree() async throws {
    var log = Operator(600)
    let honest = try log.served()
    log.entries[9][0] ^= 1
    let changed = try log.served()
    var files = honest
    for path in ["tile/0/000", "tile/entries/000"] { files[path] = changed[path] }
    #expect(
      try await finding { try await Operator.visit(files, keys: [log.key.verifierKey]) } == .tileChanged(path: "tile/1/000.p/2"))
    files["tile/1/000.p/2"] = changed["tile/1/000.p/2"]
    #expect(try await finding { try await Operator.visit(files, keys: [log.key.verifierKey]) } == .otherRoot(size: 600))
    files = honest
    files["tile/1/000.p/2"] = changed["tile/1/000.p/2"]
    #expect(
      try await finding { try await Operator.visit(files, keys: [log.key.verifierKey]) } == .tileChanged(path: "tile/1/000.p/2"))
  }

  @Test("A rewound log is detected, even if it has grown again")
  func rewound() async throws {
    var log = Operator(300)
    let memory = try await log.visit().memory
    log.entries.removeLast(50)
    #expect(try await finding { try await log.visit(memory) } == .rewound(size: 250, known: 300))
    log.grow(50)
    #expect(try await finding { try await log.visit(memory) } == .forked(size: 300))
    log.grow(1)
    #expect(try await finding { try await log.visit(memory) } == .rewritten(size: 300))
  }

  @Test("A log that shows two people two histories is detected when either sees the other's")
  func forked() async throws {
    var ana = Operator(200)
    var ben = ana
    let common = try await ana.visit().memory
    ana.grow(3)
    ben.grow(3)
    let (hers, his) = (try await ana.visit(common).memory, try await ben.visit(common).memory)
    #expect(try await finding { try await ben.visit(hers) } == .forked(size: 203))
    ben.grow(1)
    #expect(try await finding { try await ben.visit(hers) } == .rewritten(size: 203))
    ana.grow(100)
    #expect(try await finding { try await ana.visit(his) } == .rewritten(size: 203))
  }

  @Test("A checkpoint with an unknown key, no signature or changed text is detected")
  func keys() async throws {
    var log = Operator(10)
    let memory = try await log.visit().memory
    let files = try log.served()
    log.key = try SigningKey(name: log.origin, Curve25519.Signing.PrivateKey())
    #expect(try await finding { try await log.visit(memory) } == .foreignKey)
    var forged = files
    let text = String(decoding: files["checkpoint"] ?? [], as: UTF8.self)
    forged["checkpoint"] = Array(text.replacing("\n10\n", with: "\n11\n").utf8)
    #expect(try await finding { try await Operator.visit(forged, memory, keys: []) } == .foreignKey)
    forged["checkpoint"] = Array("no note".utf8)
    #expect(try await finding { try await Operator.visit(forged, memory, keys: []) } == .unreadable(path: "checkpoint"))
  }

  @Test("A key named by a leaf that also signs beside a known one is trusted from then on, and the former one may go")
  func rotation() async throws {
    var log = Operator(10)
    let first = try await log.visit().memory
    let next = try SigningKey(name: log.origin, Curve25519.Signing.PrivateKey())
    try log.add(next)
    let both = try await log.visit(first).memory
    #expect(both.keys == [log.key.verifierKey, next.verifierKey])
    #expect(try await log.visit().memory.keys == both.keys)
    (log.key, log.others) = (next, [])
    log.grow(1)
    #expect(try await log.visit(both, keys: []).memory.keys == [next.verifierKey])
    #expect(try await finding { try await log.visit(first, keys: []) } == .foreignKey)
    // Whoever is given it by another way may believe it.
    #expect(try await log.visit(first, keys: [next.verifierKey]).memory.keys == [next.verifierKey])
  }

  @Test("A key that no leaf names is never trusted, even if it signs beside the log's own: anybody can sign")
  func strangersKey() async throws {
    var log = Operator(10)
    let first = try await log.visit().memory
    log.others = [try SigningKey(name: log.origin, Curve25519.Signing.PrivateKey())]
    let second = try await log.visit(first, keys: []).memory
    #expect(second.keys == first.keys)
    (log.key, log.others) = (log.others[0], [])
    #expect(try await finding { try await log.visit(second, keys: []) } == .foreignKey)
    // Nor one that a leaf names and that does not sign.
    var honest = Operator(3)
    let memory = try await honest.visit().memory
    try honest.add(log.key)
    honest.others = []
    #expect(try await honest.visit(memory, keys: []).memory.keys == memory.keys)
  }

  @Test(
    "Only an entry in the log's exact form adds a key",
    arguments: [
      #"{"key":"a+b+c","kind":"registerKeyAdded","time":""}"#, #"{"key":"","kind":"registerKeyAdded","time":""}"#,
      #"{"key":"example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k","kind":"other","time":""}"#,
      #"{"key":"example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k","kind":"registerKeyAdded","time":"}"#,
      #"{"key":"example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k","kind":"registerKeyAdded","time":"a"b"}"#,
      #" {"key":"example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k","kind":"registerKeyAdded","time":""}"#,
      #"{"key":"","kind":"registerKeyAdded","time":"","kind":"registerKeyAdded","time":""}"#, "", "{",
    ])
  func noAddition(_ text: String) { #expect(LogKeyAddition(entry: Array(text.utf8)) == nil) }

  @Test("A log that announces its restore is reported and followed, and one that does not is detected")
  func restored() async throws {
    var log = Operator(300)
    let memory = try await log.visit().memory
    let early = try await { () async throws in
      var before = log
      before.entries.removeLast(100)
      return try await before.visit().memory
    }()
    // Put back from a copy with 250 leaves, whose last checkpoint was of 240.
    log.entries.removeLast(50)
    var copy = log
    copy.entries.removeLast(10)
    let previous = try await copy.visit().memory.checkpoint
    let continuation = LogContinuation(
      time: "2026-11-21T12:00:00.000Z", previous: previous, restoredSize: 250, unknownFrom: "2026-11-20T12:00:00.000Z",
      unknownUntil: "2026-11-21T12:00:00.000Z")
    let silent = log
    log.origin = "racha.example/register/2"
    log.entries.append(Array(try continuation.entry.utf8))
    log.grow(80)
    for known in [memory, early] {
      let report = try await log.visit(known)
      #expect(report.continuations == [continuation])
      #expect(report.added == 331 - min(known.checkpoint.size, 250))
      var further = log
      further.grow(5)
      #expect(try await further.visit(report.memory).added == 5)
    }
    // Without a word, under the same name or another one.
    #expect(try await finding { try await silent.visit(memory) } == .rewound(size: 250, known: 300))
    var renamed = silent
    renamed.origin = "racha.example/register/2"
    #expect(
      try await finding { try await renamed.visit(memory) }
        == .otherOrigin("racha.example/register/2", known: "racha.example/register"))
    // A restore that also changes what is left, or names another place.
    var changed = log
    changed.entries[3][0] ^= 1
    #expect(try await finding { try await changed.visit(early) } == .rewritten(size: 200))
    changed = log
    changed.entries.remove(at: 3)
    #expect(try await finding { try await changed.visit(early) } != nil)
  }

  @Test("After a restore entries before the loss are still compared, and the checkpoint that it names is proven")
  func cover() async throws {
    let log = Operator(1_000)
    let memory = try await log.visit().memory
    let name = "racha.example/register/2"
    var honest = log
    try honest.restore(to: 990, as: name, from: log.checkpoint(985))
    #expect(try await honest.visit(memory).added == 1)
    for number in [0, 500, 960] {
      var changed = log
      changed.entries[number][0] ^= 1
      try changed.restore(to: 990, as: name, from: changed.checkpoint(985))
      #expect(try await finding { try await changed.visit(memory) } == .rewritten(size: 1_000))
    }
    // The checkpoint is of other leaves, of more than there are, or of nothing.
    for previous in [
      Checkpoint(origin: log.origin, size: 985, root: log.checkpoint(984).root), log.checkpoint(991),
      Checkpoint(origin: log.origin, size: 0, root: log.checkpoint(984).root),
      Checkpoint(origin: log.origin, size: -1, root: log.checkpoint(984).root),
    ] {
      var untrue = log
      try untrue.restore(to: 990, as: name, from: previous)
      #expect(try await finding { try await untrue.visit(memory) } == .badContinuation(number: 990))
    }
  }

  @Test("Several restores are followed, also two from the same copy, of which the second replaced the first")
  func restoredAgain() async throws {
    let name = "racha.example/register"
    let log = Operator(400)
    let before = try await log.visit().memory
    var first = log
    try first.restore(to: 300, as: name + "/2-a", from: log.checkpoint(300))
    first.grow(50)
    let once = try await first.visit(before).memory
    #expect(once.formerOrigins == [name])
    var second = log
    try second.restore(to: 300, as: name + "/2-b", from: log.checkpoint(300))
    second.grow(90)
    for known in [before, once] { #expect(try await second.visit(known).added == 91) }
    let twice = try await second.visit(once).memory
    let size = second.entries.count
    var third = second
    third.grow(5)
    try third.restore(to: size, as: name + "/3-c", from: second.checkpoint(size))
    third.grow(9)
    #expect(try await third.visit(twice).added == 10)
    #expect(try await third.visit(once).added == third.entries.count - 300)
    #expect(try await third.visit(before).continuations.map(\.previousOrigin) == [name, name + "/2-b"])
    // Back to one that has been left.
    let other = LogFinding.otherOrigin(name, known: name + "/2-b")
    #expect(try await finding { try await log.visit(twice) } == other)
    // A name that comes twice.
    var circle = second
    try circle.restore(to: size, as: name + "/3-c", from: log.checkpoint(400))
    #expect(try await finding { try await circle.visit(twice) } == .badContinuation(number: size))
    // What both copies have is compared, too.
    var changed = second
    changed.entries[3][0] ^= 1
    #expect(try await finding { try await changed.visit(once) } != nil)
  }

  @Test("After a restore all but a multiple of the loss is compared, for many sizes of logs and losses")
  func remembered() async throws {
    for size in [1, 2, 3, 255, 256, 257, 511, 700] {
      let memory = try await Operator(size).visit().memory
      let sizes = memory.earlier.map(\.size)
      #expect(sizes == sizes.sorted() && sizes.count <= 2 * 10 && sizes.allSatisfy { 0 < $0 && $0 < size })
      for lost in 1..<size {
        let compared = sizes.last { $0 <= size - lost } ?? 0
        #expect(size - compared <= 4 * lost, "\(lost) of \(size)")
      }
    }
  }

  @Test("A restore that names another log than the visited one is no restore of it")
  func otherPrevious() async throws {
    var log = Operator(20)
    let memory = try await log.visit().memory
    log.entries.removeLast(5)
    let other = Checkpoint(origin: "other.example/register", size: 15, root: .empty)
    let continuation = LogContinuation(time: "", previous: other, restoredSize: 15, unknownFrom: "", unknownUntil: "")
    log.entries.append(Array(try continuation.entry.utf8))
    log.origin = "racha.example/register/2"
    #expect(
      try await finding { try await log.visit(memory) }
        == .otherOrigin("racha.example/register/2", known: "racha.example/register"))
  }

  @Test("A verifier's memory is trusted only in its exact, signed form")
  func memory() async throws {
    let memory = try await Operator(3).visit().memory
    let text = memory.description
    for changed in [text.replacing("\n3\n", with: "\n2\n"), String(text.dropFirst(10)), "", "\n", text + "x"] {
      #expect(throws: LogFault.self) { _ = try LogMemory(parsing: Array(changed.utf8)) }
    }
  }
}
