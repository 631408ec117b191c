import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// The relations between accounts, published to services that show one account to another (SOC-2, SOC-7, SOC-8).
struct RelationFeature: Feature {
  let migrations = [RelationStore.migration(11)]
  let tables: [ErasedTable] = [
    .rows("relations", "low_account = :account OR high_account = :account", .relations)
      .publishing(RelationChanged.spec.names, RelationStore.ended)
  ]
  let snapshot = [SnapshotPart("relations", RelationChanged.self, page: RelationStore.snapshot)]

  func register(in service: inout ServiceDefinition) {}
}
