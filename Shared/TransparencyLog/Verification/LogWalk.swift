/// The way through the leaves of a log, from the first to the last, and what it shows on the way.
struct LogWalk {
  let checkpoint: Checkpoint
  /// What was seen last; nil at the first visit.
  let known: Checkpoint?
  private(set) var edge = TileEdge()
  private(set) var continuations: [LogContinuation] = []
  /// How many leaves there are of those that were seen last; nil where there was no visit, or the log is another one.
  private(set) var sharedSize: Int?
  /// The root of as many leaves as were seen last.
  private var rootAtKnown: TreeHash?

  init(checkpoint: Checkpoint, known: Checkpoint?) {
    self.checkpoint = checkpoint
    self.known = known
  }

  private var hasKnownOrigin: Bool { known.map { KeyName.isSame($0.origin, checkpoint.origin) } ?? true }

  /// What shows by the checkpoints alone.
  mutating func begin() throws {
    noteRoot()
    guard let known, hasKnownOrigin else { return }
    guard checkpoint.size >= known.size else { throw LogFinding.rewound(size: checkpoint.size, known: known.size) }
    guard checkpoint.size > known.size || checkpoint.root == known.root else { throw LogFinding.forked(size: known.size) }
    sharedSize = known.size
  }

  /// - Parameter full: is handed each tile that is full by the entry.
  mutating func append(_ entry: [UInt8], _ hash: TreeHash, full: (Tile, [TreeHash]) -> Void) throws {
    if let continuation = LogContinuation(entry: entry) { try take(continuation) }
    edge.append(hash, full: full)
    noteRoot()
    if sharedSize == known?.size { try compare() }
  }

  private mutating func noteRoot() {
    if edge.size == known?.size { rootAtKnown = edge.root }
  }

  private func compare() throws {
    guard let known, let rootAtKnown, rootAtKnown != known.root else { return }
    throw LogFinding.rewritten(size: known.size)
  }

  /// The log goes on here under another name; what the one that is known had behind this leaf is lost.
  private mutating func take(_ continuation: LogContinuation) throws {
    guard continuation.restoredSize == edge.size else { throw LogFinding.badContinuation(number: edge.size) }
    continuations.append(continuation)
    guard let known, sharedSize == nil, KeyName.isSame(continuation.previousOrigin, known.origin) else { return }
    sharedSize = min(known.size, edge.size)
    try compare()
  }

  /// What shows behind the last leaf.
  func end() throws {
    guard edge.root == checkpoint.root else { throw LogFinding.otherRoot(size: checkpoint.size) }
    guard let known, sharedSize == nil else { return }
    throw LogFinding.otherOrigin(checkpoint.origin, known: known.origin)
  }
}
