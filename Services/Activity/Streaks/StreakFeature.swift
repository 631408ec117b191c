import ActivityContract
import Operations
import ServiceKit
import Storage

/// Streaks: how long each activity was kept without a miss, published on each change (ACT-10).
///
/// Triggers mark a streak whenever it may have changed, since entries, pauses, skipped days and versions are written and deleted in many
/// ways.
struct StreakFeature: Feature {
  let calendars: AccountCalendars
  let clock: Clock
  let migrations = [StreakStore.migration(36)]
  let tables: [ErasedTable] = [.following("streaks", "activities")]
  let snapshot = [SnapshotPart("streaks", StreakChanged.self, page: StreakStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    service.run { [calendars, clock] store in StreakWorker(store: store, calendars: calendars, clock: clock) }
  }

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try StreakStore.recheck(of: move.account, transaction)
  }
}
