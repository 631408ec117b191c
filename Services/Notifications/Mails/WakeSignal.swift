import Operations
import Synchronization

/// Wakes the one task that waits for it. A ring while nobody waits is kept, many are kept as one.
final class WakeSignal: Sendable {
  private struct State {
    var hasRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func ring() {
    let waiter = state.withLock { state in
      state.hasRung = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Returns at the next ring, at once if there was one since the last wait, or when the task is cancelled.
  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          guard !state.hasRung, !Task.isCancelled else {
            state.hasRung = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      ring()
    }
  }

  /// The same, but no longer than that.
  func wait(atMost duration: Duration) async {
    await withDiscardingTaskGroup { group in
      group.addTask {
        // Ends early by cancellation alone, which is what it is for.
        do { try await Task.sleep(for: duration) } catch { return }
        self.ring()
      }
      await wait()
      group.cancelAll()
    }
  }
}
