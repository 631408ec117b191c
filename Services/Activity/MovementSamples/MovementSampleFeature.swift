import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Samples of movement: recorded, split by day, and deleted (MOVE-1).
struct MovementSampleFeature: Feature {
  let calendars: AccountCalendars
  let rules: FairnessRules
  let migrations = [
    MovementSampleStore.stepsMigration(4), MovementSampleStore.migration(8), MovementSampleStore.namesMigration(41),
  ]
  /// The maximum number of samples in a normal batch; a larger batch, or one of more days than the first part may have, counts as a large
  /// write.
  private static let maxTogether = 50
  let tables: [ErasedTable] = [
    .following("movement_sample_pieces", "movement_samples"),
    .rows("movement_samples", MovementAccount.ownedRows, .steps),
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = MovementSampleHandlers(calendars: calendars, rules: rules)
    service.serve(
      RecordMovementSamples.self, prepare: handlers.prepareRecord, write: handlers.record,
      isLarge: { $0.samples.count > Self.maxTogether || $0.days > SampleParts.limits.first })
    service.serve(
      DeleteMovementSamples.self, prepare: handlers.prepareDelete, write: handlers.delete,
      // Each may be of another day.
      isLarge: { $0.ids.count > SampleParts.limits.first })
  }
}

extension RecordMovementSamples.Input {
  /// About how many days of a kind of movement the samples are of.
  fileprivate var days: Int {
    Set(samples.map { SampleParts.Day(kind: $0.kind, day: LocalCalendar.day($0.start.milliseconds)) }).count
  }
}
