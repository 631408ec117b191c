import NIOCore
import Operations
import Synchronization

/// The body of a request, passed on to its reader as it arrives.
///
/// The unread bytes are bounded by the connection, which stops reading meanwhile: ``HTTPConnectionLimits/streamWindow``.
final class RequestBodyStream: Sendable {
  private struct State {
    var parts: [ByteBuffer] = []
    var end: Result<Void, Failure>?
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let consumed: @Sendable (_ bytes: Int) -> Void

  /// - Parameter consumed: is informed of what was read, so that more may arrive.
  init(consumed: @escaping @Sendable (_ bytes: Int) -> Void) { self.consumed = consumed }

  /// More has arrived.
  func push(_ part: ByteBuffer) {
    let waiting = state.withLock { state in
      if state.end == nil { state.parts.append(part) }
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// Ends the stream: the whole body has arrived, or cannot arrive. The first end counts.
  func end(_ result: Result<Void, Failure>) {
    let waiting = state.withLock { state in
      if state.end == nil { state.end = result }
      if case .failure = result { state.parts = [] }
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// The next part; nil after the last.
  ///
  /// - Throws: why the rest does not arrive.
  func next() async throws(Failure) -> ByteBuffer? {
    while true {
      let found: Result<ByteBuffer?, Failure>? = state.withLock { state in
        if !state.parts.isEmpty { return .success(state.parts.removeFirst()) }
        return state.end.map { end in end.map { nil } }
      }
      if let found {
        let part = try found.get()
        if let part { consumed(part.readableBytes) }
        return part
      }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if !state.parts.isEmpty || state.end != nil { return true }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  /// Reads and discards the rest, so that a browser finishes sending and reads the answer.
  func drain() async {
    do throws(Failure) { while try await next() != nil {} } catch {
      // The body does not arrive: its reader was told so, or no longer needs it.
    }
  }
}
