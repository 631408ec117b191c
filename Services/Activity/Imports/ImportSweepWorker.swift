import ServiceKit
import ServiceLifecycle

/// Removes the files of imports that ended without their owners' request, as soon as it is signalled, so that nothing remains after consent
/// is withdrawn.
struct ImportSweepWorker: Service {
  let housekeeping: ImportHousekeepingWorker
  let signal: WakeSignal

  func run() async throws {
    try await cancelWhenGracefulShutdown { while await signal.wait() { try await housekeeping.keep() } }
  }
}
