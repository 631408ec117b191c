import Synchronization

/// Lets the one task that waits for it look for what is to be done. A signal while nobody waits is kept, and many are kept as one.
///
/// It is sent once the transaction that left something to do is durable. One that is lost with its process is not missed where each start
/// looks by itself.
public final class WakeSignal: Sendable {
  private struct State {
    var isPending = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  public init() {}

  public func send() {
    let waiter = state.withLock { state in
      state.isPending = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Returns at the next signal, at once if there was one since the last wait, or when the task is cancelled.
  ///
  /// - Returns: false where the task is cancelled.
  public func wait() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          guard !state.isPending, !Task.isCancelled else {
            state.isPending = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      send()
    }
    return !Task.isCancelled
  }

  /// The same, but no longer than that.
  public func wait(atMost duration: Duration) async {
    await withDiscardingTaskGroup { group in
      group.addTask {
        // Ends early by cancellation alone, which is what it is for.
        do { try await Task.sleep(for: duration) } catch { return }
        self.send()
      }
      _ = await wait()
      group.cancelAll()
    }
  }
}
