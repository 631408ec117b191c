import Synchronization

/// Signals to waiting tasks that a commit to the store is durable.
final class CommitSignals: Sendable {
  private struct State {
    var lastNumber = 0
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
  }

  private let state = Mutex(State())

  /// Yields a signal after each commit from now on. Signals that are not consumed yet are merged into one.
  func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.lastNumber += 1
      state.waiting[state.lastNumber] = continuation
      return state.lastNumber
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
    return stream
  }

  /// Called after each commit.
  func signal() {
    let waiting = state.withLock { $0.waiting.isEmpty ? [] : Array($0.waiting.values) }
    for continuation in waiting { continuation.yield() }
  }
}
