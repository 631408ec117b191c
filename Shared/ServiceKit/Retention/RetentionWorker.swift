import Logging
import Operations
import ServiceLifecycle
import Storage

/// Removes expired rows by the rules of all features of a service, see ``Feature/retention``, a few at a time.
struct RetentionWorker: ServiceLifecycle.Service {
  private static let limits = StepLimits(first: 50, max: 500)

  let store: Store
  let rules: [RetentionRule]
  let logger: Logger
  let interval: Duration

  /// - Parameter features: the features whose rules are applied.
  init(store: Store, features: [any Feature], logger: Logger, interval: Duration = .seconds(600)) {
    self.store = store
    // As in an erasure, dependent rows are removed first.
    rules = features.reversed().flatMap(\.retention)
    self.logger = logger
    self.interval = interval
  }

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Removes all expired rows. A table that fails does not stop the others, unless nothing at all can be written.
  ///
  /// - Throws: the first of these failures.
  func sweep() async throws {
    var failure: (any Error)?
    for rule in rules {
      do {
        try await store.writeInSteps(of: "retention", Self.limits) { try rule.remove(limit: $0, $1) == $0 }
      } catch let error as CancellationError {
        throw error
      } catch let error as Failure where error.isOfStorage {
        throw error
      } catch {
        logger.warning("a table was not swept", metadata: ["table": .string(rule.table), "error": .string("\(type(of: error))")])
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}
