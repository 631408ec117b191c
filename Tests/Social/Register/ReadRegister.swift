import Foundation
import InProcess
import Operations
import SocialContract
import Storage
import TransparencyLog

@testable import SocialService

extension Caller {
  /// Whoever has not signed in.
  static let nobody = Caller(kind: .anonymous)
}

extension ServicesInProcess {
  /// The last checkpoint once it covers so many leaves and has so many signatures.
  func registered(_ count: Int, signers: Int = 1) async throws -> (checkpoint: Checkpoint, note: SignedNote) {
    let store = store(of: .social)
    try await store.until {
      guard let last = try await store.read({ try RegisterTileStore.last($0) }), last.size >= count else { return false }
      return try SignedNote(parsing: Array(last.note.utf8)).signatures.count == signers
    }
    let file = try await call(GetRegisterCheckpoint.self, .init(), as: .nobody)
    let note = try SignedNote(parsing: file.content.bytes)
    return (try Checkpoint(text: note.text), note)
  }

  /// The entries of the leaves, read as anybody reads them.
  func registerEntries(_ size: Int) async throws -> [[UInt8]] {
    var entries: [[UInt8]] = []
    for tile in Tile.all(in: size) where tile.level == 0 {
      let path = TilePath.entries(number: tile.number, width: tile.width).description
      let bundle = try await call(GetRegisterTile.self, .init(path: String(path.dropFirst(5))), as: .nobody)
      entries += try EntryBundle.decoded(bundle.content.bytes, width: tile.width)
    }
    return entries
  }

  /// What the leaves are of.
  func registerKinds() async throws -> [String] {
    try await store(of: .social).read { database in
      try RegisterStore.entries(from: 0, limit: .max, in: database).map { entry in
        let text = String(decoding: entry, as: UTF8.self)
        return text.components(separatedBy: #""kind":""#)[1].prefix { $0 != "\"" }.description
      }
    }
  }

  /// The keys of the log.
  func registerKeys() async throws -> [VerifierKey] {
    try await call(ListRegisterKeys.self, .init(), as: .nobody).keys.map { try VerifierKey($0) }
  }
}
