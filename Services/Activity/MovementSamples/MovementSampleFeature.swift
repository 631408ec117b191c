import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Samples of movement: recorded, split by day, and deleted (MOVE-1).
struct MovementSampleFeature: Feature {
  let calendars: AccountCalendars
  let rules: FairnessRules
  let migrations = [
    MovementSampleStore.stepsMigration(4), MovementSampleStore.migration(8), MovementSampleStore.namesMigration(41),
  ]
  /// The maximum number of samples in a normal batch; a larger batch counts as a large write.
  private static let maxTogether = 50
  let tables: [ErasedTable] = [
    .following("movement_sample_pieces", "movement_samples"),
    .rows("movement_samples", MovementAccount.ownedRows, .steps),
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = MovementSampleHandlers(calendars: calendars, rules: rules)
    service.serve(
      RecordMovementSamples.self, prepare: MovementSampleHandlers.prepareRecord, write: handlers.record,
      isLarge: { $0.samples.count > Self.maxTogether })
    service.serve(DeleteMovementSamples.self, write: handlers.delete, isLarge: { $0.ids.count > Self.maxTogether })
  }
}
