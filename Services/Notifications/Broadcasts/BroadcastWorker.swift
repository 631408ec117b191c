import IdentityContract
import Logging
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Sends broadcasts, the oldest first, a few accounts at a time and not faster than ordered.
///
/// Identity supplies the recipients. The progress is stored in the transaction that delivers to them, so that after any crash every
/// recipient gets the broadcast exactly once.
struct BroadcastWorker: ServiceLifecycle.Service {
  private static let longestWait = Duration.seconds(60)
  private static let round = Duration.seconds(90)
  /// Accounts to which it goes at once, at most: other writes wait for all of them.
  private static let maxBatch = 100
  private static let retryPause = Duration.seconds(1)

  let store: Store
  let identity: ServiceClient
  let dispatch: DeliveryDispatch
  let signal: WakeSignal
  let pulse: Pulse
  let logger: Logger

  func run() async throws {
    while !Task.isShuttingDownGracefully && !Task.isCancelled {
      pulse.promise(within: BroadcastWorker.round)
      let wait = try await step()
      await cancelWhenGracefulShutdown { await signal.wait(atMost: wait) }
    }
  }

  /// Gives the next accounts the oldest broadcast.
  ///
  /// - Returns: how long to wait before the next, for the rate's sake.
  private func step() async throws -> Duration {
    guard let job = try await store.read({ try BroadcastStore.next(in: $0) }) else { return BroadcastWorker.longestWait }
    let count = max(1, min(BroadcastWorker.maxBatch, job.broadcast.perMinute / 60))
    let page: ListAudience.Output
    do {
      page = try await identity.request(
        ListAudience.self, .init(audience: job.audience, after: job.lastAccount, afterDay: job.lastDay, limit: count))
    } catch let failure as Failure {
      logger.warning("a broadcast waits for identity", metadata: ["code": .string(failure.code)])
      return BroadcastWorker.retryPause
    }
    let accounts = page.accountIDs
    guard let last = accounts.last else {
      try await store.write { try BroadcastStore.finish(job.broadcast.id, .done, $0) }
      return .zero
    }
    try await store.write { [dispatch] transaction in
      guard try BroadcastStore.advance(job, to: last, of: page.lastDay, by: accounts.count, transaction) else { return }
      for account in accounts {
        let language = try Accounts.find(account, in: transaction.database)?.language ?? .english
        let draft = job.broadcast.message.draft(job.broadcast.id, for: account, language)
        try dispatch.deliver(.announcement, draft, at: job.broadcast.createdAt, transaction)
      }
    }
    return .milliseconds(60_000 * accounts.count / job.broadcast.perMinute)
  }
}
