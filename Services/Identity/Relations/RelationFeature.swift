import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// What is between accounts, as social publishes it: who sees whose profile, photo and entry in the directory, and with what beside it
/// (ID-11, ID-14, SOC-8).
struct RelationFeature: Feature {
  let migrations = [RelationStore.migration(31)]
  let tables: [ErasedTable] = [
    .rows("relations", "account_id = :account OR other_account_id = :account", .relations)
  ]

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: RelationChanged.self, RelationSubscriptions.relationChanged)
  }
}
