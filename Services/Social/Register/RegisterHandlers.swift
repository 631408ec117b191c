import Crypto
import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage
import TransparencyLog

/// The register as it is read: checkpoint, tiles and proofs by anybody, records by those whom they concern.
enum RegisterHandlers {
  static func checkpoint(_ input: Empty, _ call: OpenCall, _ database: Database) throws -> MediaFile {
    file(Array(try RegisterTileStore.required(database).note.utf8), text, isImmutable: false)
  }

  static func tile(_ input: GetRegisterTile.Input, _ call: OpenCall, _ database: Database) throws -> MediaFile {
    // The log before a restore had others below these paths, which anybody may have kept.
    try tile(input.path, isImmutable: try RegisterTileStore.origin(database)?.position == 1, database)
  }

  static func logCheckpoint(
    _ input: GetRegisterLogCheckpoint.Input, _ call: OpenCall, _ database: Database
  ) throws -> MediaFile {
    try requireLog(input.log, database)
    return file(Array(try RegisterTileStore.required(database).note.utf8), text, isImmutable: false)
  }

  static func logTile(_ input: GetRegisterLogTile.Input, _ call: OpenCall, _ database: Database) throws -> MediaFile {
    try requireLog(input.log, database)
    return try tile(input.path, isImmutable: true, database)
  }

  /// Refuses every log but the current one, by the part of its name after the first log's name.
  private static func requireLog(_ log: String, _ database: Database) throws {
    guard let first = try RegisterTileStore.firstOrigin(database), let now = try RegisterTileStore.origin(database)?.name,
      now.utf8.elementsEqual("\(first)/\(log)".utf8)
    else { throw Failure(RequestFailure.notFound) }
  }

  private static func tile(_ path: String, isImmutable: Bool, _ database: Database) throws -> MediaFile {
    guard let path = try? TilePath("tile/\(path)") else { throw Failure(RequestFailure.notFound) }
    let size = try RegisterTileStore.required(database).size
    switch path {
    case .hashes(let tile):
      try require(tile, in: size)
      return file(try RegisterTileStore.bytes(of: tile, in: database), bytes, isImmutable: isImmutable)
    case .entries(let number, let width):
      try require(Tile(level: 0, number: number, width: width), in: size)
      let entries = try RegisterStore.entries(from: number * Tile.fullWidth, limit: width, in: database)
      return file(try EntryBundle.encoded(entries), bytes, isImmutable: isImmutable)
    }
  }

  /// Refuses a tile that the tree of that size has not, or not as wide.
  private static func require(_ tile: Tile, in size: Int) throws {
    guard let whole = Tile.tile(level: tile.level, number: tile.number, in: size), tile.width <= whole.width else {
      throw Failure(RequestFailure.notFound)
    }
  }

  static func inclusion(
    _ input: RegisterLeafKey, _ call: OpenCall, _ database: Database
  ) throws -> ProveRegisterInclusion.Output {
    let (last, proof) = try prove(input.number, database)
    let entry = try RegisterStore.entries(from: input.number, limit: 1, in: database)[0]
    return .init(
      number: input.number, entry: String(decoding: entry, as: UTF8.self), size: last.size,
      hashes: proof.hashes.map { Base64Bytes($0.bytes) }, checkpoint: last.note)
  }

  static func proof(_ input: RegisterLeafKey, _ call: OpenCall, _ database: Database) throws -> MediaFile {
    let (last, inclusion) = try prove(input.number, database)
    let proof = LogProof(
      index: input.number, inclusion: inclusion, note: try SignedNote(parsing: Array(last.note.utf8)))
    return file(Array(proof.description.utf8), text, isImmutable: false)
  }

  private static func prove(
    _ number: Int, _ database: Database
  ) throws -> (last: RegisterTileStore.Signed, InclusionProof) {
    guard number < (try RegisterStore.leafCount(database)) else { throw Failure(RequestFailure.notFound) }
    let last = try RegisterTileStore.required(database)
    guard number < last.size else { throw RegisterFailure.notCovered.with(retryAfterSeconds: 1) }
    let tree = RegisterTileStore.tree(of: last.size, in: database)
    return (last, try InclusionProof(of: number, in: last.size, reading: tree))
  }

  static func consistency(
    _ input: ProveRegisterConsistency.Input, _ call: OpenCall, _ database: Database
  ) throws -> ProveRegisterConsistency.Output {
    let size = try RegisterTileStore.required(database).size
    let to = input.to ?? size
    guard to <= size else { throw Failure.field("to", outOfRange(size)) }
    guard input.from <= to else { throw Failure.field("from", outOfRange(to)) }
    let proof = try ConsistencyProof(
      from: input.from, to: to, reading: RegisterTileStore.tree(of: to, in: database))
    return .init(from: input.from, to: to, hashes: proof.hashes.map { Base64Bytes($0.bytes) })
  }

  private static func outOfRange(_ max: Int) -> FieldRule {
    FieldRule("out_of_range", ["min": .number(0), "max": .number(max)])
  }

  static func accountLeaf(
    _ input: GetRegisterAccountLeaf.Input, _ call: OpenCall, _ database: Database
  ) throws -> RegisterLeafKey {
    guard let number = try RegisterAccountStore.leaf(of: input.recordNumber, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    return RegisterLeafKey(number: number)
  }

  static func records(
    _ input: ListPage, _ call: AccountCall, _ database: Database
  ) throws -> Page<OwnRegisterRecord> {
    try RegisterStore.list(of: call.account, call.page(input), in: database)
  }

  private static let text = "text/plain; charset=utf-8"
  private static let bytes = "application/octet-stream"

  private static func file(_ content: [UInt8], _ mediaType: String, isImmutable: Bool) -> MediaFile {
    let tag = SHA256.hash(data: content).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return MediaFile(
      mediaType: mediaType, tag: tag, content: Base64Bytes(content), isImmutable: isImmutable ? true : nil, isPublic: true)
  }
}
