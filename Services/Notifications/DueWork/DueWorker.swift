import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Lets what is due be done, until the service stops: woken by the commit that left something to do, and by the time at which the next is due.
struct DueWorker: ServiceLifecycle.Service {
  /// The wait where nothing is due, also the longest that a change of the machine's clock can delay anything.
  private static let longestWait = Duration.seconds(60)
  /// Longer than one look takes: the longest wait, and the time for what is done.
  static let round = Duration.seconds(120)
  /// The store answers so when too many wait for it, and it is asked again after a breath.
  private static let noRoom = RequestFailure.overloaded.status
  private static let breath = Duration.seconds(1)

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

  /// Does some of it.
  ///
  /// - Returns: how long nothing else is due.
  private func step() async throws -> Duration {
    do {
      guard try await !work.doSome(store, pulse) else { return .zero }
      guard let next = try await store.read({ [work] in try work.nextDue(in: $0) }) else { return Self.longestWait }
      return min(.milliseconds(max(0, next.milliseconds - clock.now.milliseconds)), Self.longestWait)
    } catch let failure as Failure where failure.status == Self.noRoom {
      return Self.breath
    }
  }
}
