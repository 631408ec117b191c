import ServiceKit
import Storage

/// Plans: the versions of an activity's goal and schedule (ACT-15).
struct PlanFeature: Feature {
  let migrations = [ActivityVersionStore.migration(6), ActivityVersionStore.boundsMigration(28)]
  let tables: [ErasedTable] = [.following("activity_versions", "activities")]
}
