import Synchronization

/// Informs whoever waits for what is in a store that a commit is durable.
final class CommitSignals: Sendable {
  private struct State {
    var lastNumber = 0
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
  }

  private let state = Mutex(State())

  /// A signal after each commit from now on; those that nobody took yet are one.
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
