import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Blocks: whoever blocks another is apart from it, both ways (SOC-8).
///
/// A block ends what other features keep between the two: each of those has a closing here. What is asked, listed or shown later looks at the
/// blocks itself, by ``BlockStore``.
struct BlockFeature: Feature {
  /// In the order in which they are done.
  let closings: [BlockClosing]

  let migrations = [BlockStore.migration(12), KnownNames.migration(35)]
  let tables: [ErasedTable] = [.rows("blocks", "blocker_account = :account OR blocked_account = :account", .blocks)]

  func register(in service: inout ServiceDefinition) {
    service.serve(CreateBlock.self, prepare: BlockHandlers.other, write: BlockHandlers(closings: closings).create)
    service.serve(ListBlocks.self, read: BlockHandlers.list)
    service.serve(RemoveBlock.self, write: BlockHandlers.remove)
  }
}
