import Messaging
import Operations
import Synchronization

/// What joins the ``MemoryBus``es of one process, as the sockets' directory joins those of several.
public final class MemoryExchange: Sendable {
  struct Server: Sendable {
    let bus: UInt64
    let handler: @Sendable (Request) async -> Reply
    var running = 0
  }

  struct Reader: Sendable {
    let bus: UInt64
    let continuation: AsyncStream<Announcement>.Continuation
  }

  struct State {
    var servers: [ServiceName: Server] = [:]
    var readers: [ServiceName: [UInt64: Reader]] = [:]
    /// Requests that wait for their reply.
    var waiting: [UInt64: (waiter: Waiter, service: ServiceName, caller: UInt64)] = [:]
    var lastNumber: UInt64 = 0

    mutating func nextNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }
  }

  let state = Mutex(State())

  public init() {}

  /// Ends one request, if it still waits.
  func finish(_ number: UInt64, _ result: Result<Reply, BusFailure>) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.waiter.finish(result)
  }
}

/// One caller's wait for one reply: whoever comes first ends it.
final class Waiter: Sendable {
  private enum State {
    case waiting
    case suspended(CheckedContinuation<Result<Reply, BusFailure>, Never>)
    case finished(Result<Reply, BusFailure>)
  }

  private let state = Mutex(State.waiting)

  func finish(_ result: Result<Reply, BusFailure>) {
    let continuation: CheckedContinuation<Result<Reply, BusFailure>, Never>? = state.withLock { state in
      switch state {
      case .waiting:
        state = .finished(result)
        return nil
      case .suspended(let continuation):
        state = .finished(result)
        return continuation
      case .finished: return nil
      }
    }
    continuation?.resume(returning: result)
  }

  func result() async -> Result<Reply, BusFailure> {
    await withCheckedContinuation { continuation in
      let result: Result<Reply, BusFailure>? = state.withLock { state in
        if case .finished(let result) = state { return result }
        state = .suspended(continuation)
        return nil
      }
      if let result { continuation.resume(returning: result) }
    }
  }
}
