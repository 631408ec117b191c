import Logging
import Operations
import RewardsContract
import ServiceKit
import ServiceLifecycle
import Storage

/// Stores the definitions from files when the service starts, and counts accounts' earlier activity for new and changed definitions
/// (REW-7).
///
/// Its progress is in the store, so that a process that was killed resumes there.
struct ChallengeWorker: ServiceLifecycle.Service {
  /// The number of accounts counted in one step.
  private static let limits = StepLimits(first: 8, max: 500)

  /// The definitions from files.
  let published: [ChallengesFile.Item]
  let engine: ChallengeEngine
  let signal: WakeSignal
  let store: Store
  let logger: Logger

  func run() async throws {
    let published = published
    let count = try await store.write { transaction in
      try published.count { try ChallengeDefinitionStore.add($0.id, $0.terms, transaction) }
    }
    logger.info("challenges published", metadata: ["new": "\(count)", "known": "\(published.count - count)"])
    try await cancelWhenGracefulShutdown {
      repeat {
        // Without work nothing is written.
        if try await store.read({ try ChallengeDefinitionStore.uncounted(in: $0) != nil }) {
          try await store.writeInSteps(of: "challenges", Self.limits) { try step(atMost: $0, $1) }
        }
      } while await signal.wait()
    }
  }

  /// Counts the next accounts for a definition.
  ///
  /// - Returns: whether there may be more to do.
  func step(atMost count: Int, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    guard let (challenge, through) = try ChallengeDefinitionStore.uncounted(in: database) else { return false }
    let accounts = try ChallengeFactStore.accounts(after: through, limit: count, in: database)
    for account in accounts where try !database.isErased(account) { try engine.count(account, for: challenge, transaction) }
    try ChallengeDefinitionStore.noteCounted(
      challenge, through: accounts.count < count ? nil : accounts.last, in: database)
    return true
  }
}
