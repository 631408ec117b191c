import Synchronization

/// Wakes the one task that waits for it to look for work. A signal is kept until there is a wait; several are kept as one.
///
/// It is sent once the transaction that left work to do is durable. A signal lost with its process is not missed if each start looks for
/// work by itself.
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
  /// - Returns: false if the task is cancelled.
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

  /// The same, for no longer than that duration.
  public func wait(atMost duration: Duration) async {
    await withDiscardingTaskGroup { group in
      group.addTask {
        // Only cancellation ends the sleep early, as intended.
        do { try await Task.sleep(for: duration) } catch { return }
        self.send()
      }
      _ = await wait()
      group.cancelAll()
    }
  }
}
