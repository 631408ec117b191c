import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// Friendships and blocks, as social publishes them: they decide which other accounts an account sees (REW-6, SOC-8).
struct RelationFeature: Feature {
  let migrations = [RelationStore.migration(12), RelationStore.partingMigration(26)]
  let tables: [ErasedTable] = [
    .rows("relations", "account_id = :account OR other_account_id = :account", .relations)
  ]

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: RelationChanged.self, RelationSubscriptions.relationChanged)
  }
}
