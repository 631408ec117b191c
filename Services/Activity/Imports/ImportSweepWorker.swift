import ServiceKit
import ServiceLifecycle

/// Removes the files of imports that were ended without their owners' asking, as soon as it is signalled: a withdrawn consent leaves nothing
/// lying about.
struct ImportSweepWorker: Service {
  let housekeeping: ImportHousekeepingWorker
  let signal: WakeSignal

  func run() async throws {
    try await cancelWhenGracefulShutdown { while await signal.wait() { try await housekeeping.keep() } }
  }
}
