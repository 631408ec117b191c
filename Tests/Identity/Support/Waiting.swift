import Operations
import Storage

extension Store {
  /// Returns once that holds: it is asked now and after each commit of the store.
  ///
  /// - Throws: ``NotYet`` when the time is over.
  func until(within limit: Duration = .seconds(60), _ holds: () async throws -> Bool) async throws {
    let commits = commits()
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { for await _ in commits { signal.yield() } }
      group.addTask {
        try await Task.sleep(for: limit)
        signal.finish()
      }
      if try await holds() { return }
      for await _ in signals { if try await holds() { return } }
      throw NotYet()
    }
  }

  /// What was waited for has not come about in the store.
  struct NotYet: Error {}
}
