import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Lets go what is held once it is due: at the end of quiet hours, or when a moment is over in which it might have been read.
///
/// It is woken by the commit that holds something, and by the time at which the next is due. What is due is let go in the transaction
/// that fills the queue of its channel, so that a restart in between loses and doubles nothing.
struct DeliveryWorker: ServiceLifecycle.Service {
  private static let longestWait = Duration.seconds(60)
  private static let round = Duration.seconds(90)
  private static let batch = 200
  /// The store answers so when too many wait for it, and it is asked again after a breath.
  private static let noRoom = RequestFailure.overloaded.status
  private static let breath = Duration.seconds(1)

  let store: Store
  let dispatch: DeliveryDispatch
  let clock: Clock
  let pulse: Pulse

  func run() async throws {
    while !Task.isShuttingDownGracefully && !Task.isCancelled {
      pulse.promise(within: DeliveryWorker.round)
      let wait = try await step()
      await cancelWhenGracefulShutdown { await dispatch.signal.wait(atMost: wait) }
    }
  }

  /// Lets go all that is due.
  ///
  /// - Returns: how long nothing else is.
  private func step() async throws -> Duration {
    do {
      while try await releaseSome() {}
      guard let due = try await store.read({ try DeliveryStore.nextDue(in: $0) }) else { return DeliveryWorker.longestWait }
      return min(.milliseconds(max(0, due.milliseconds - clock.now.milliseconds)), DeliveryWorker.longestWait)
    } catch let failure as Failure where failure.status == DeliveryWorker.noRoom {
      return DeliveryWorker.breath
    }
  }

  /// - Returns: whether there may be more.
  private func releaseSome() async throws -> Bool {
    let now = clock.now
    let groups = try await store.read { try DeliveryStore.dueGroups(at: now, limit: DeliveryWorker.batch, in: $0) }
    guard !groups.isEmpty, !Task.isShuttingDownGracefully, !Task.isCancelled else { return false }
    try await store.write { [dispatch] transaction in
      for group in groups { try dispatch.release(group, transaction) }
    }
    return true
  }
}
