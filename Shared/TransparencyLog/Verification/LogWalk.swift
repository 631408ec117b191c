/// The way through the leaves of a log, from the first to the last, and what it shows on the way.
struct LogWalk {
  let checkpoint: Checkpoint
  /// What is remembered of the last visit; nil at the first one.
  let known: LogMemory?
  private(set) var edge = TileEdge()
  private(set) var continuations: [LogContinuation] = []
  /// The keys by which the log says that it signs, too.
  private(set) var addedKeys: [VerifierKey] = []
  /// How many leaves there are of those that were seen last; nil where there was no visit.
  private(set) var sharedSize: Int?
  /// Of which sizes the roots are remembered after this visit.
  private let kept: Set<Int>
  private let wanted: Set<Int>
  private var roots: [Int: TreeHash] = [:]

  init(checkpoint: Checkpoint, known: LogMemory?) {
    self.checkpoint = checkpoint
    self.known = known
    kept = LogMemory.earlierSizes(of: checkpoint.size)
    wanted = kept.union((known?.roots ?? []).map(\.size))
  }

  /// What the log was called, from its first name to the one that it has.
  var origins: [String] { continuations.map(\.previousOrigin) + [checkpoint.origin] }

  /// What is to be remembered beside the checkpoint.
  var earlier: [LogMemory.SizedRoot] {
    kept.sorted().compactMap { size in roots[size].map { LogMemory.SizedRoot(size: size, root: $0) } }
  }

  private var hasKnownOrigin: Bool { known.map { KeyName.isSame($0.checkpoint.origin, checkpoint.origin) } ?? false }

  /// What shows by the checkpoints alone.
  mutating func begin() throws {
    try noteRoot()
    guard hasKnownOrigin, let known = known?.checkpoint else { return }
    guard checkpoint.size >= known.size else { throw LogFinding.rewound(size: checkpoint.size, known: known.size) }
    guard checkpoint.size > known.size || checkpoint.root == known.root else { throw LogFinding.forked(size: known.size) }
    sharedSize = known.size
  }

  /// - Parameter full: is handed each tile that is full by the entry.
  mutating func append(_ entry: [UInt8], _ hash: TreeHash, full: (Tile, [TreeHash]) -> Void) throws {
    if let continuation = LogContinuation(entry: entry) {
      try take(continuation)
    } else if let addition = LogKeyAddition(entry: entry) {
      addedKeys.append(addition.key)
    }
    edge.append(hash, full: full)
    try noteRoot()
  }

  private mutating func noteRoot() throws {
    guard wanted.contains(edge.size) else { return }
    roots[edge.size] = edge.root
    guard hasKnownOrigin, let known else { return }
    try compare(known, upTo: edge.size)
  }

  /// Compares the leaves with what is remembered of them.
  private func compare(_ known: LogMemory, upTo size: Int) throws {
    for one in known.roots where one.size <= size {
      guard roots[one.size] == one.root else { throw LogFinding.rewritten(size: known.checkpoint.size) }
    }
  }

  /// The log goes on here under another name; what the one before had behind this leaf is lost.
  private mutating func take(_ continuation: LogContinuation) throws {
    let former = continuations.map(\.previousOrigin)
    guard continuation.restoredSize == edge.size, 0...edge.size ~= continuation.previousSize,
      !former.contains(where: { KeyName.isSame($0, continuation.previousOrigin) })
    else { throw LogFinding.badContinuation(number: edge.size) }
    continuations.append(continuation)
  }

  /// What shows behind the last leaf.
  mutating func end() throws {
    guard edge.root == checkpoint.root else { throw LogFinding.otherRoot(size: checkpoint.size) }
    guard let known, !hasKnownOrigin else { return }
    guard let number = lastShared(with: known) else {
      throw LogFinding.otherOrigin(checkpoint.origin, known: known.checkpoint.origin)
    }
    let size = min(known.checkpoint.size, continuations[number].restoredSize)
    try compare(known, upTo: size)
    sharedSize = size
  }

  /// The continuation at which the log parted from the one that was seen: behind it, that is another one. Nil where they have no name in
  /// common.
  ///
  /// The one that was seen may itself be of a restore that another one has replaced.
  private func lastShared(with known: LogMemory) -> Int? {
    let origins = origins
    if let number = origins.firstIndex(where: { KeyName.isSame($0, known.checkpoint.origin) }) { return number }
    let shared = zip(origins, known.origins).prefix { KeyName.isSame($0, $1) }.count
    return shared > 0 && shared < origins.count ? shared - 1 : nil
  }
}
