/// Verifies a log by its public data: the checkpoint, the tiles and the entries (c2sp.org/tlog-tiles).
///
/// It reads every leaf, rebuilds the tree, and compares all of it with the served tiles and with the last checkpoint it saw. Anything that
/// was changed, removed, added among older leaves, exchanged, rewound, or shown differently to others does not match. It needs memory for
/// one tile of each level.
///
/// A log that continues under another name after a restore (``LogContinuation``) has its tiles below that name, so that older cached ones
/// are never taken for them: `racha.example/register/2-0e7c` has them at `2-0e7c/tile/…`.
public struct LogVerifier: Sendable {
  /// Reads what lies at a path below the log's prefix; nil if there is nothing.
  public typealias Fetch = @Sendable (_ path: String) async throws -> [UInt8]?

  private let fetch: Fetch

  public init(fetch: @escaping Fetch) { self.fetch = fetch }

  /// The result of a visit.
  public struct Report: Hashable, Sendable {
    /// What to remember for the next visit.
    public let memory: LogMemory
    /// How many leaves were added since the last visit.
    public let added: Int
    /// The leaves at which the log continues after a restore, newest last; see ``LogContinuation``.
    public let continuations: [LogContinuation]
  }

  /// Verifies the log as it stands.
  ///
  /// - Parameters:
  ///   - memory: the memory of the last visit; nil at the first.
  ///   - keys: the keys to trust in addition to those remembered. A key that signs without being named here, or by a leaf of a log that a
  ///     known key has signed (``LogKeyAddition``), is no key of the log.
  /// - Throws: ``LogFinding``, or what fetching throws.
  public func verify(since memory: LogMemory?, keys: [VerifierKey]) async throws -> Report {
    let note = try parse("checkpoint", try await fetched("checkpoint")) { try SignedNote(parsing: $0) }
    let checkpoint = try parse("checkpoint", note.text) { try Checkpoint(text: $0) }
    let known = (memory?.keys ?? []) + keys.filter { memory?.keys.contains($0) != true }
    _ = try signers(of: note, among: known)
    let tiles = Tiles(folder: Self.folder(of: checkpoint.origin, known), verifier: self)
    var walk = LogWalk(checkpoint: checkpoint, known: memory)
    try walk.begin()
    for number in stride(from: 0, to: checkpoint.size, by: Tile.fullWidth) {
      try await tiles.take(number / Tile.fullWidth, min(Tile.fullWidth, checkpoint.size - number), &walk)
    }
    for (tile, hashes) in walk.edge.tiles { try await tiles.compare(tile, hashes) }
    try walk.end()
    for continuation in walk.continuations { try await tiles.check(continuation, checkpoint) }
    return Report(
      memory: LogMemory(
        keys: try signers(of: note, among: known + walk.addedKeys.filter { !known.contains($0) }), note: note,
        checkpoint: checkpoint, formerOrigins: walk.origins.dropLast(), earlier: walk.earlier),
      added: checkpoint.size - (walk.sharedSize ?? 0), continuations: walk.continuations)
  }

  private func signers(of note: SignedNote, among keys: [VerifierKey]) throws -> [VerifierKey] {
    do { return try note.verify(by: keys) } catch is LogFault { throw LogFinding.foreignKey }
  }

  /// Where the tiles of a log lie, which may be one that goes on after a restore: its keys keep the first name.
  private static func folder(of origin: String, _ keys: [VerifierKey]) -> String {
    for key in keys where origin.utf8.starts(with: "\(key.name)/".utf8) {
      return "\(String(decoding: origin.utf8.dropFirst(key.name.utf8.count + 1), as: UTF8.self))/"
    }
    return ""
  }

  fileprivate func fetched(_ path: String) async throws -> [UInt8] {
    guard let bytes = try await fetch(path) else { throw LogFinding.missing(path: path) }
    return bytes
  }

  fileprivate func parse<Input, Output>(_ path: String, _ input: Input, _ read: (Input) throws -> Output) throws -> Output {
    do { return try read(input) } catch is LogFault { throw LogFinding.unreadable(path: path) }
  }
}

/// The tiles and entries of a log, compared with what follows from its leaves.
private struct Tiles {
  /// The prefix of all paths.
  let folder: String
  let verifier: LogVerifier

  /// Takes in a bundle of entries, and the tile of their hashes.
  func take(_ number: Int, _ width: Int, _ walk: inout LogWalk) async throws {
    let path = folder + TilePath.entries(number: number, width: width).description
    let entries = try verifier.parse(path, try await verifier.fetched(path)) { try EntryBundle.decoded($0, width: width) }
    let hashes = try await hashes(of: Tile(level: 0, number: number, width: width))
    var full: [(Tile, [TreeHash])] = []
    for (offset, entry) in entries.enumerated() {
      guard TreeHash.leaf(entry) == hashes[offset] else {
        throw LogFinding.entryChanged(number: number * Tile.fullWidth + offset)
      }
      try walk.append(entry, hashes[offset]) { full.append(($0, $1)) }
    }
    // The lowest tile was compared already, hash by hash.
    for (tile, hashes) in full where tile.level > 0 { try await compare(tile, hashes) }
  }

  func compare(_ tile: Tile, _ expected: [TreeHash]) async throws {
    guard try await hashes(of: tile) == expected else {
      throw LogFinding.tileChanged(path: folder + TilePath.hashes(tile).description)
    }
  }

  /// Proves that the checkpoint which a continuation names is one of the leaves before it.
  func check(_ continuation: LogContinuation, _ checkpoint: Checkpoint) async throws {
    guard let root = try? TreeHash(base64: Array(continuation.previousRoot.utf8)),
      let proof = try await consistency(from: continuation.previousSize, to: checkpoint.size),
      (try? proof.verify(from: continuation.previousSize, root, to: checkpoint.size, checkpoint.root)) != nil
    else { throw LogFinding.badContinuation(number: continuation.restoredSize) }
  }

  /// The proof, of tiles that are read as it needs them; nil where the tree has none.
  private func consistency(from old: Int, to size: Int) async throws -> ConsistencyProof? {
    var read: [Tile: [TreeHash]] = [:]
    while true {
      var missing: Tile?
      let tree = TileTree(size: size) { tile in
        if let hashes = read[tile] { return hashes }
        missing = tile
        throw LogFault.tileMissing(path: TilePath.hashes(tile).description)
      }
      if let proof = try? ConsistencyProof(from: old, to: size, reading: tree) { return proof }
      guard let missing else { return nil }
      read[missing] = try await hashes(of: missing)
    }
  }

  private func hashes(of tile: Tile) async throws -> [TreeHash] {
    let path = folder + TilePath.hashes(tile).description
    return try verifier.parse(path, try await verifier.fetched(path)) { try TileHashes.decoded($0, width: tile.width) }
  }
}
