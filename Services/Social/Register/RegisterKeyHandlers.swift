import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage
import TransparencyLog

/// The keys by which the register's checkpoints are checked: listed.
struct RegisterKeyHandlers: Sendable {
  let keys: RegisterKeys
  /// The log's name until there is a checkpoint with it.
  let origin: String

  func list(_ input: Empty, _ call: OpenCall, _ database: Database) throws -> ListRegisterKeys.Output {
    let keyName = try RegisterTileStore.firstOrigin(database) ?? origin
    return .init(
      origin: try RegisterTileStore.origin(database)?.name ?? origin,
      keys: try keys.signers(keyName).map(\.verifierKey.description))
  }
}
