import ServiceLifecycle

/// Does something over and over, with a pause after each time, until the service is asked to stop, which cuts it off wherever it is.
///
/// It is the `run()` of whatever looks by itself for what is due. A failure ends it, and with it the run.
public func repeating(every pause: Duration, _ work: @escaping @Sendable () async throws -> Void) async throws {
  try await cancelWhenGracefulShutdown {
    while true {
      try await work()
      try await Task.sleep(for: pause)
    }
  }
}
