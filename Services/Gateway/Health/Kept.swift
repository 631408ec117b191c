import Synchronization

/// A cached value that takes work to learn: callers share it while it is kept, and concurrent callers cause the work only once.
final class Kept<Value: Sendable>: Sendable {
  private struct State {
    var task: Task<Value, Never>?
    /// Nil while the task runs.
    var until: ContinuousClock.Instant?
  }

  private let state = Mutex(State())
  private let learn: @Sendable () async -> Value
  private let duration: @Sendable (Value) -> Duration

  /// - Parameters:
  ///   - duration: how long a value is kept.
  ///   - learn: the work.
  init(for duration: @escaping @Sendable (Value) -> Duration, _ learn: @escaping @Sendable () async -> Value) {
    self.duration = duration
    self.learn = learn
  }

  var value: Value {
    get async {
      let task = state.withLock { state in
        if let task = state.task, state.until.map({ $0 > .now }) ?? true { return task }
        // Detached, since the first caller may be cancelled while others wait for the same value.
        let task = Task.detached {
          let value = await self.learn()
          let until = ContinuousClock.now + self.duration(value)
          self.state.withLock { $0.until = until }
          return value
        }
        state.task = task
        state.until = nil
        return task
      }
      return await task.value
    }
  }
}
