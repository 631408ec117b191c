import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Runs due work until the service stops: woken by commits that add work, and by the next due time.
struct DueWorker: ServiceLifecycle.Service {
  /// The longest wait, used where nothing is due; it also bounds the delay after a change of the machine's clock.
  private static let longestWait = Duration.seconds(60)
  /// Longer than one round takes: the longest wait, and the time for what is done.
  static let round = Duration.seconds(120)
  /// The store answers so when too many wait for it, and it is asked again after a pause.
  private static let noRoom = RequestFailure.overloaded.status
  private static let retryPause = Duration.seconds(1)

  let work: any DueWork
  let store: Store
  let clock: Clock
  let signal: WakeSignal
  let pulse: Pulse

  func run() async throws {
    while !Task.isShuttingDownGracefully && !Task.isCancelled {
      pulse.promise(within: Self.round)
      let wait = try await step()
      guard wait > .zero else { continue }
      await cancelWhenGracefulShutdown { await signal.wait(atMost: wait) }
    }
  }

  /// Does some of the due work.
  ///
  /// - Returns: the time until more work is due.
  private func step() async throws -> Duration {
    do {
      guard try await !work.doSome(store, pulse) else { return .zero }
      guard let next = try await store.read({ [work] in try work.nextDue(in: $0) }) else { return Self.longestWait }
      return min(.milliseconds(max(0, next.milliseconds - clock.now.milliseconds)), Self.longestWait)
    } catch let failure as Failure where failure.status == Self.noRoom {
      return Self.retryPause
    }
  }
}
