import ServiceKit
import Storage

/// Ties: activities that movement completes (MOVE-7).
struct MovementTieFeature: Feature {
  let migrations = [MovementTieStore.migration(19), MovementTieStore.daysMigration(29)]
  let tables: [ErasedTable] = [.following("tie_days", "activities"), .following("activity_ties", "activities")]
}
