import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Blocks between accounts, which take effect both ways (SOC-8).
///
/// A block ends what other features keep between the two accounts: each of them registers a closing here. Later requests, lists and reads
/// check the blocks themselves, by ``BlockStore``.
struct BlockFeature: Feature {
  /// In the order in which they are done.
  let closings: [BlockClosing]

  let migrations = [BlockStore.migration(12), KnownNameStore.migration(35)]
  let tables: [ErasedTable] = [.rows("blocks", "blocker_account = :account OR blocked_account = :account", .blocks)]

  func register(in service: inout ServiceDefinition) {
    service.serve(CreateBlock.self, prepare: BlockHandlers.other, write: BlockHandlers(closings: closings).create)
    service.serve(ListBlocks.self, read: BlockHandlers.list)
    service.serve(DeleteBlock.self, write: BlockHandlers.remove)
  }
}
