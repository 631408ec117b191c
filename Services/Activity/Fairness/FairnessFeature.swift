import IdentityContract
import ServiceKit
import Storage

/// Fairness: which movement earns nothing, and why (MOVE-6).
struct FairnessFeature: Feature {
  let migrations = [MovementMinuteStore.migration(23), MovementSeriesStore.migration(32)]
  let tables: [ErasedTable] = [
    .rows("movement_series", MovementAccount.ownedRows, .steps),
    .following("movement_sketch_hashes", "movement_sketches"),
    .rows("movement_sketches", MovementAccount.ownedRows, .steps),
    .rows("movement_minutes", MovementAccount.ownedRows, .steps),
  ]
}
