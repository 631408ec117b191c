import ServiceKit
import Storage

/// Ties: activities that movement completes (MOVE-7).
struct TieFeature: Feature {
  let migrations = [TieStore.migration(19), TieStore.daysMigration(29)]
  let tables: [ErasedTable] = [.following("tie_days", "activities"), .following("activity_ties", "activities")]
}
