/// Verifies a log by what anybody can read of it: the checkpoint, the tiles and the entries (c2sp.org/tlog-tiles).
///
/// It reads every leaf, builds the tree anew, and compares all of it with what is served and with the checkpoint that it saw last: whatever
/// was changed, removed, added among older leaves, exchanged, rewound, or shown to somebody else otherwise, does not fit. It needs memory
/// for one tile of each level.
public struct LogVerifier: Sendable {
  /// Reads what lies at a path below the log's prefix; nil if there is nothing.
  public typealias Fetch = @Sendable (_ path: String) async throws -> [UInt8]?

  private let fetch: Fetch

  public init(fetch: @escaping Fetch) { self.fetch = fetch }

  /// What a visit has shown.
  public struct Report: Hashable, Sendable {
    /// What to remember for the next visit.
    public let memory: LogMemory
    /// How many leaves were added since the last one.
    public let added: Int
    /// Where the log goes on after a restore, newest last; see ``LogContinuation``.
    public let continuations: [LogContinuation]
  }

  /// Verifies the log as it stands.
  ///
  /// - Parameters:
  ///   - memory: of the last visit; nil at the first.
  ///   - keys: whom to trust at the first visit; keys of the log that are new since then and sign beside one that is known.
  /// - Throws: ``LogFinding``, or what fetching throws.
  public func verify(since memory: LogMemory?, keys: [VerifierKey]) async throws -> Report {
    let note = try parse("checkpoint", try await fetched("checkpoint")) { try SignedNote(parsing: $0) }
    let checkpoint = try parse("checkpoint", note.text) { try Checkpoint(text: $0) }
    let signers = try signers(of: note, memory?.keys ?? keys, keys)
    var walk = LogWalk(checkpoint: checkpoint, known: memory?.checkpoint)
    try walk.begin()
    for number in stride(from: 0, to: checkpoint.size, by: Tile.fullWidth) {
      let width = min(Tile.fullWidth, checkpoint.size - number)
      try await take(number / Tile.fullWidth, width, &walk)
    }
    for (tile, hashes) in walk.edge.tiles { try await compare(tile, hashes) }
    try walk.end()
    return Report(
      memory: LogMemory(keys: signers, note: note, checkpoint: checkpoint),
      added: checkpoint.size - (walk.sharedSize ?? 0), continuations: walk.continuations)
  }

  /// The keys of the log now: those that are known and still sign, and new ones that sign beside them.
  private func signers(of note: SignedNote, _ known: [VerifierKey], _ given: [VerifierKey]) throws -> [VerifierKey] {
    do {
      try note.verify(by: known)
      return try note.verify(by: known + given.filter { !known.contains($0) })
    } catch is LogFault {
      throw LogFinding.foreignKey
    }
  }

  /// Takes in a bundle of entries, and the tile of their hashes.
  private func take(_ number: Int, _ width: Int, _ walk: inout LogWalk) async throws {
    let path = TilePath.entries(number: number, width: width).description
    let entries = try parse(path, try await fetched(path)) { try EntryBundle.decoded($0, width: width) }
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

  private func compare(_ tile: Tile, _ expected: [TreeHash]) async throws {
    guard try await hashes(of: tile) == expected else {
      throw LogFinding.tileChanged(path: TilePath.hashes(tile).description)
    }
  }

  private func hashes(of tile: Tile) async throws -> [TreeHash] {
    let path = TilePath.hashes(tile).description
    return try parse(path, try await fetched(path)) { try TileHashes.decoded($0, width: tile.width) }
  }

  private func fetched(_ path: String) async throws -> [UInt8] {
    guard let bytes = try await fetch(path) else { throw LogFinding.missing(path: path) }
    return bytes
  }

  private func parse<Input, Output>(_ path: String, _ input: Input, _ read: (Input) throws -> Output) throws -> Output {
    do { return try read(input) } catch is LogFault { throw LogFinding.unreadable(path: path) }
  }
}
