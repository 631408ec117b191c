import Logging
import Operations
import ServiceLifecycle
import Storage

/// Removes what has outlived its use by the rules of all features of a service, see ``Feature/retention``, a little at a time.
struct RetentionWorker: ServiceLifecycle.Service {
  private static let limits = StepLimits(first: 50, max: 500)

  let store: Store
  let rules: [RetentionRule]
  let logger: Logger
  let interval: Duration

  /// - Parameter features: those whose rules it applies.
  init(store: Store, features: [any Feature], logger: Logger, interval: Duration = .seconds(600)) {
    self.store = store
    // As in an erasure: what builds on other rows goes before them.
    rules = features.reversed().flatMap(\.retention)
    self.logger = logger
    self.interval = interval
  }

  func run() async throws { try await repeating(every: interval) { try await sweep() } }

  /// Removes everything that is due. A table of which nothing can be removed keeps no other from it, unless nothing at all can be written.
  ///
  /// - Throws: why the first such one was left as it is.
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
