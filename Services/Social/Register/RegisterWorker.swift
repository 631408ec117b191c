import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import SocialContract
import Storage
import TransparencyLog

/// Makes the leaves that came part of the tree, and signs a checkpoint over it: at its start, and when something was committed, several
/// times a second at most.
struct RegisterWorker: Service {
  let store: Store
  let keys: RegisterKeys
  let logger: Logger
  /// What the log is called if it has no name yet.
  let origin: String

  /// How many leaves one transaction takes in: some milliseconds of hashing.
  static let batch = 2_048
  /// Between two checkpoints.
  private static let pause = Duration.milliseconds(200)
  /// How long checkpoints are kept that later ones have replaced.
  private static let keptDays = 30

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      let commits = store.commits()
      let log = try await begin()
      try await advance(log)
      for await _ in commits {
        try await advance(log)
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  /// The log as it signs.
  struct Log: Sendable {
    let origin: String
    let signers: [SigningKey]

    /// Whether a checkpoint that was kept is what would be signed now, cosignatures apart.
    func hasSigned(_ kept: String?, as note: String) throws -> Bool {
      guard let kept else { return false }
      let (before, now) = (try SignedNote(parsing: Array(kept.utf8)), try SignedNote(parsing: Array(note.utf8)))
      return before.text == now.text && before.signatures.filter { $0.name == now.signatures[0].name } == now.signatures
    }

    /// The keys that did not sign a checkpoint that was kept.
    func newKeys(since kept: String?) throws -> [VerifierKey] {
      guard let kept else { return [] }
      let signatures = try SignedNote(parsing: Array(kept.utf8)).signatures
      return signers.map(\.verifierKey).filter { key in
        !signatures.contains { $0.keyID == key.keyID && $0.name == key.name }
      }
    }

    func note(_ edge: TileEdge) throws -> String {
      try Checkpoint(origin: origin, size: edge.size, root: edge.root).signed(by: signers).description
    }
  }

  /// Names the log if it is new or the store was restored from a backup, and signs its last checkpoint again if its name or keys have
  /// changed. A leaf names each new key, so that a client with a former key can continue with the new one.
  func begin() async throws -> Log {
    let epoch = try await store.log.head().epoch
    let (origin, keyName) = try await store.write { [origin] transaction in
      let name = try RegisterOrigin.begin(origin, epoch: epoch, transaction)
      return (name, try RegisterTileStore.firstOrigin(transaction.database) ?? name)
    }
    let log = Log(origin: origin, signers: try keys.signers(keyName))
    let last = try await store.read { database in
      try RegisterTileStore.last(database).map { ($0.note, try RegisterTileStore.edge(of: $0.size, in: database)) }
    }
    let note = try log.note(last?.1 ?? TileEdge())
    if try !log.hasSigned(last?.0, as: note) {
      let (size, added) = (last?.1.size ?? 0, try log.newKeys(since: last?.0))
      if added.count == log.signers.count {
        logger.error("no key that signed the register is left: whoever verifies it needs the new one")
      }
      try await store.write { transaction in
        try RegisterTileStore.advance([], size, note: note, transaction)
        for key in added {
          let leaf = LogKeyAddition(key: key, time: transaction.now.description)
          _ = try RegisterStore.append(try leaf.entry, in: transaction.database)
        }
      }
    }
    return log
  }

  /// Takes in all leaves that there are.
  func advance(_ log: Log) async throws {
    while try await advanceOnce(log) {}
  }

  /// Takes in some leaves.
  ///
  /// - Returns: whether there may be more.
  private func advanceOnce(_ log: Log) async throws -> Bool {
    let (last, entries) = try await store.read { database in
      let size = try RegisterTileStore.last(database)?.size ?? 0
      let entries = try RegisterStore.entries(from: size, limit: Self.batch, in: database)
      return (entries.isEmpty ? TileEdge() : try RegisterTileStore.edge(of: size, in: database), entries)
    }
    guard !entries.isEmpty else { return false }
    var (edge, tiles) = (last, [(tile: Tile, hashes: [TreeHash])]())
    for entry in entries { edge.append(.leaf(entry)) { tiles.append(($0, $1)) } }
    let (grown, size, note) = (tiles + edge.tiles, edge.size, try log.note(edge))
    try await store.write { transaction in
      try RegisterTileStore.advance(grown, size, note: note, transaction)
      try RegisterNoticeStore.publish(below: size, note, transaction)
      try RegisterTileStore.forgetCheckpoints(
        before: transaction.now.adding(seconds: -86_400 * Self.keptDays), transaction)
    }
    return entries.count == Self.batch
  }
}
