import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// Relations between accounts, as social publishes them: they decide who sees whose profile, photo and directory entry, and with which
/// details (ID-11, ID-14, SOC-8).
struct RelationFeature: Feature {
  let migrations = [RelationStore.migration(31)]
  let tables: [ErasedTable] = [
    .rows("relations", "account_id = :account OR other_account_id = :account", .relations)
  ]

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: RelationChanged.self, RelationSubscriptions.relationChanged)
  }
}
