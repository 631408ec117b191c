import Synchronization

/// Opens once; tasks can wait for that.
final class Latch: Sendable {
  private struct State {
    var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    var nextKey: UInt64 = 0
  }

  private let opened = Atomic(false)
  private let state = Mutex(State())

  var isOpen: Bool { opened.load(ordering: .acquiring) }

  func open() {
    let waiters = state.withLock { state in
      opened.store(true, ordering: .releasing)
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume(returning: true) }
  }

  /// Whether it is open within that time; false, too, for a task that is cancelled before. Who waits is bounded by who asks.
  func isOpen(within time: Duration) async -> Bool {
    if isOpen { return true }
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    let timer = Task {
      // Cancelled: there is nobody left to inform.
      do { try await Task.sleep(for: time) } catch { return }
      giveUp(key)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isLate = state.withLock { state in
          guard !isOpen, !Task.isCancelled else { return true }
          state.waiters[key] = continuation
          return false
        }
        if isLate { continuation.resume(returning: isOpen) }
      }
    } onCancel: {
      giveUp(key)
    }
  }

  private func giveUp(_ key: UInt64) {
    state.withLock { $0.waiters.removeValue(forKey: key) }?.resume(returning: false)
  }
}
