import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// Blocks between accounts: who has blocked another, or is blocked, is not notified of anything that names the other (SOC-8).
struct BlockFeature: Feature {
  let migrations = [BlockStore.migration(13)]
  let tables: [ErasedTable] = [.rows("blocks", "account_id = :account OR other_account = :account", .blocks)]

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: RelationChanged.self, BlockSubscriptions.relationChanged)
  }
}
