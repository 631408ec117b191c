import ServiceLifecycle

/// Repeats work, with a pause after each time, until the service is asked to stop; the work is then cancelled.
///
/// It is the `run()` of workers that look for due work by themselves. A failure ends the repetition, and with it the run.
public func repeating(every pause: Duration, _ work: @escaping @Sendable () async throws -> Void) async throws {
  try await cancelWhenGracefulShutdown {
    while true {
      try await work()
      try await Task.sleep(for: pause)
    }
  }
}
