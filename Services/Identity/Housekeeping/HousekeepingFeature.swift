import Logging
import ServiceKit

/// Removes what has outlived its use.
struct HousekeepingFeature: Feature {
  let logger: Logger

  func register(in service: inout ServiceDefinition) {
    let logger = logger
    service.run { store in HousekeepingWorker(store: store, logger: logger) }
  }
}
