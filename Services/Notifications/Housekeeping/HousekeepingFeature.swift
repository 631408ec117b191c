import Logging
import ServiceKit

/// Removes what has outlived its use.
struct HousekeepingFeature: Feature {
  /// Those whose rules it applies.
  let features: [any Feature]
  let logger: Logger

  func register(in service: inout ServiceDefinition) {
    let (features, logger) = (features, logger)
    service.run { store in HousekeepingWorker(store: store, features: features, logger: logger) }
  }
}
