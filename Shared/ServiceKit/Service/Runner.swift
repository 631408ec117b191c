import Logging
import Metrics
import Operations
import ServiceLifecycle
import Synchronization

/// Shows that a runner which works in a loop is not stuck.
///
///     while true {
///       pulse.promise(within: .seconds(90))
///       …
///     }
///
/// A runner that never promises anything is watched only for its end.
public final class Pulse: Sendable {
  private let due = Mutex<ContinuousClock.Instant?>(nil)

  public init() {}

  /// Promises to return here within that time. If the runner does not, the service is not ready until it does.
  public func promise(within duration: Duration) { due.withLock { $0 = .now + duration } }

  /// Withdraws the promise, before something that may take any time.
  public func rest() { due.withLock { $0 = nil } }

  func isStuck(at now: ContinuousClock.Instant) -> Bool { due.withLock { $0.map { $0 < now } ?? false } }
}

/// Runs a background task of a service, and restarts it with back-off when it fails.
///
/// A runner that returns has done its work, and waits for the end of the service. One that throws is logged, counted and restarted, after
/// pauses that double from ``RunnerState/firstPause`` to ``RunnerState/longestPause``; its remaining work is in the store. Meanwhile the
/// service keeps answering, but is not ready, and `system.health` names the runner. If the disk cannot be written, the runner is restarted
/// every second.
final class Runner: ServiceLifecycle.Service {
  let name: String
  private let logger: Logger
  private let pulse = Pulse()
  private let state = Mutex(RunnerState())
  private let failures: Counter
  private let make: @Sendable (Pulse) -> any ServiceLifecycle.Service

  /// - Parameter make: called for each start.
  init(_ name: String, logger: Logger, _ make: @escaping @Sendable (Pulse) -> any ServiceLifecycle.Service) {
    self.name = name
    self.logger = logger
    self.make = make
    failures = Counter(label: "runner_failures", dimensions: [("runner", name)])
  }

  /// The runner's problem; nil if there is none.
  var healthProblem: HealthProblem? {
    let now = ContinuousClock.now
    if !state.withLock({ $0.isHealthy(at: now) }) { return HealthProblem(part: name, state: .failing) }
    return pulse.isStuck(at: now) ? HealthProblem(part: name, state: .stuck) : nil
  }

  /// Runs until its work is done, or until graceful shutdown or cancellation; never throws.
  func run() async {
    while true {
      state.withLock { $0.began(at: .now) }
      do {
        try await make(pulse).run()
        pulse.rest()
        // During shutdown, the service group treats a service that ends out of turn as a failure.
        try await gracefulShutdown()
        return
      } catch {
        pulse.rest()
        let isStopping = Task.isCancelled || Task.isShuttingDownGracefully
        // Cancelled, as is allowed at any time.
        if isStopping, error is CancellationError { return }
        if !isStopping, Failure(error).isOfStorage {
          // This is not the runner's fault, and the store reports it. The pause does not grow: there may be room at any time.
          state.withLock { $0.waitsForStorage() }
          do {
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: RunnerState.storagePause) }
          } catch {
            return
          }
          continue
        }
        logger.error("a runner failed", metadata: ["runner": .string(name), "error": .string("\(error)")])
        failures.increment()
        guard !isStopping else { return }
      }
      let pause = state.withLock { $0.failed(at: .now) }
      do {
        try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
      } catch {
        // Only the end of the service cuts it short.
        return
      }
    }
  }
}

/// When a failed runner is restarted, and from when on it counts as healthy again.
struct RunnerState: Sendable {
  static let firstPause = Duration.milliseconds(100)
  static let longestPause = Duration.seconds(30)
  /// The pause while nothing can be written.
  static let storagePause = Duration.seconds(1)

  private var begunAt: ContinuousClock.Instant?
  private var pause = Duration.zero

  mutating func began(at now: ContinuousClock.Instant) { begunAt = now }

  /// - Returns: the pause before the restart; it grows unless the runner had run for longer than the longest pause.
  mutating func failed(at now: ContinuousClock.Instant) -> Duration {
    let life = begunAt.map { now - $0 } ?? .zero
    begunAt = nil
    pause =
      life > RunnerState.longestPause
      ? RunnerState.firstPause : min(max(pause * 2, RunnerState.firstPause), RunnerState.longestPause)
    return pause
  }

  /// The runner ended because nothing can be written, which does not count against it.
  mutating func waitsForStorage() { begunAt = nil }

  /// Whether the runner has been running for as long as the pause before it: one that fails each time never counts as healthy.
  func isHealthy(at now: ContinuousClock.Instant) -> Bool {
    guard let begunAt else { return pause == .zero }
    return now - begunAt >= pause
  }
}
