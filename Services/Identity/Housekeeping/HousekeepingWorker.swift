import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Removes what has outlived its use by the rules of the features, see ``Feature/retention``, a little at a time.
struct HousekeepingWorker: Service {
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

  /// Removes everything that is due. A table of which nothing can be removed keeps no other from it.
  ///
  /// - Throws: why the first such one was left as it is.
  func sweep() async throws {
    var failure: (any Error)?
    func attempt(_ table: String, _ work: () async throws -> Void) async throws {
      do {
        try await work()
      } catch let error as CancellationError {
        throw error
      } catch {
        logger.warning("a table was not swept", metadata: ["table": .string(table), "error": .string("\(type(of: error))")])
        failure = failure ?? error
      }
    }
    try await attempt("sessions", closeUnanswered)
    for rule in rules {
      try await attempt(rule.table) { try await inSteps { try rule.remove(limit: $0, $1) } }
    }
    if let failure { throw failure }
  }

  /// Ends the sessions in doubt for which nobody can answer any more.
  private func closeUnanswered() async throws {
    try await inSteps { try LoginAlertStore.closeUnansweredSessions(limit: $0, $1) }
  }

  /// Removes until nothing is left that is due, in steps, so that nobody waits long for it.
  ///
  /// - Parameter remove: removes as many at most, and returns how many it removed.
  private func inSteps(_ remove: @escaping @Sendable (Int, Transaction) throws -> Int) async throws {
    try await store.writeInSteps(of: "retention", Self.limits) { try remove($0, $1) == $0 }
  }
}
