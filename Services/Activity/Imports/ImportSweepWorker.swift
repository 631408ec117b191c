import ServiceKit
import ServiceLifecycle

/// Removes the files of imports that were ended without their owners' asking, as soon as it is rung for: a withdrawn consent leaves nothing
/// lying about.
struct ImportSweepWorker: Service {
  let housekeeping: ImportHousekeepingWorker
  let signal: ImportSignal

  func run() async throws {
    try await cancelWhenGracefulShutdown { for await _ in signal.rings { try await housekeeping.keep() } }
  }
}
