import Crypto
import Foundation
import TransparencyLog

/// Whoever runs a log, with its key: what they serve need not be honest.
struct Operator {
  var origin = "racha.example/register"
  var key = try! SigningKey(name: "racha.example/register", Curve25519.Signing.PrivateKey())
  var others: [SigningKey] = []
  var entries: [[UInt8]] = []

  init(_ count: Int) { grow(count) }

  mutating func grow(_ count: Int) {
    for _ in 0..<count { entries.append(Array("leaf \(entries.count) \(UUID())".utf8)) }
  }

  /// Says that another key signs from now on, and lets it.
  mutating func add(_ next: SigningKey) throws {
    others.append(next)
    entries.append(Array(try LogKeyAddition(key: next.verifierKey, time: "2026-11-21T12:00:00.000Z").entry.utf8))
  }

  /// Puts the log back to so many leaves and goes on under another name, with a leaf that says so.
  mutating func restore(to size: Int, as origin: String, from previous: Checkpoint) throws {
    entries.removeLast(entries.count - size)
    let continuation = LogContinuation(
      time: "2026-11-21T12:00:00.000Z", previous: previous, restoredSize: size, unknownFrom: "2026-11-20T12:00:00.000Z",
      unknownUntil: "2026-11-21T12:00:00.000Z")
    self.origin = origin
    entries.append(Array(try continuation.entry.utf8))
  }

  /// The log's checkpoint of its first leaves.
  func checkpoint(_ size: Int) -> Checkpoint {
    var tree = TiledTree()
    for entry in entries.prefix(size) { tree.append(entry) }
    return Checkpoint(origin: origin, size: size, root: tree.edge.root)
  }

  /// Before the paths of its tiles.
  private var folder: String {
    let name = key.verifierKey.name
    return origin.hasPrefix(name + "/") ? "\(origin.dropFirst(name.count + 1))/" : ""
  }

  /// What is served: by path, as the specification wants it.
  func served() throws -> [String: [UInt8]] {
    var tree = TiledTree()
    for entry in entries { tree.append(entry) }
    let checkpoint = Checkpoint(origin: origin, size: entries.count, root: tree.edge.root)
    var files = ["checkpoint": Array(try checkpoint.signed(by: [key] + others).description.utf8)]
    for (tile, hashes) in tree.edge.tiles.map({ ($0.tile, $0.hashes) }) + tree.full.map({ ($0.key, $0.value) }) {
      files[folder + TilePath.hashes(tile).description] = TileHashes.encoded(hashes)
      guard tile.level == 0 else { continue }
      let path = folder + TilePath.entries(number: tile.number, width: tile.width).description
      files[path] = try EntryBundle.encoded(entries[tile.number * 256..<tile.number * 256 + tile.width])
    }
    return files
  }

  /// What somebody finds who has visited before.
  func visit(_ memory: LogMemory? = nil, keys: [VerifierKey]? = nil) async throws -> LogVerifier.Report {
    try await Self.visit(try served(), memory, keys: keys ?? (memory == nil ? [key.verifierKey] : []))
  }

  static func visit(
    _ files: [String: [UInt8]], _ memory: LogMemory? = nil, keys: [VerifierKey]
  ) async throws -> LogVerifier.Report {
    let report = try await LogVerifier { files[$0] }.verify(since: memory, keys: keys)
    // What is remembered comes back out of a file.
    let read = try LogMemory(parsing: Array(report.memory.description.utf8))
    guard read == report.memory else { throw LogFault.malformed(.memory) }
    return report
  }
}
