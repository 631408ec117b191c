import Operations
import Synchronization

/// The connections that outlive a request, so that they can be ended when their session is, or the server stops.
final class OpenConnections: Sendable {
  typealias Close = @Sendable (LiveEnd) -> Void

  private struct State {
    var all: [UInt64: Close] = [:]
    var bySession: [SessionID: Set<UInt64>] = [:]
    var nextKey: UInt64 = 0
    var isStopping = false
  }

  private let state = Mutex(State())

  /// - Returns: the key by which to leave; one that comes when the server is stopping is closed at once.
  func enter(_ close: @escaping Close) -> UInt64 {
    let (key, isStopping) = state.withLock { state in
      state.nextKey += 1
      state.all[state.nextKey] = close
      return (state.nextKey, state.isStopping)
    }
    if isStopping { close(.serverStopping) }
    return key
  }

  /// The connection speaks for that session from now on.
  func bind(_ key: UInt64, to session: SessionID) {
    state.withLock { _ = $0.bySession[session, default: []].insert(key) }
  }

  /// The connection no longer speaks for that session.
  func unbind(_ key: UInt64, from session: SessionID) {
    state.withLock { state in
      state.bySession[session]?.remove(key)
      if state.bySession[session]?.isEmpty == true { state.bySession[session] = nil }
    }
  }

  func leave(_ key: UInt64) { state.withLock { $0.all[key] = nil } }

  /// Ends the session's connections.
  func close(_ session: SessionID, _ end: LiveEnd) {
    let closing = state.withLock { state in state.bySession[session, default: []].compactMap { state.all[$0] } }
    for close in closing { close(end) }
  }

  /// Ends all, and all that come.
  func stop() {
    let closing = state.withLock { state in
      state.isStopping = true
      return Array(state.all.values)
    }
    for close in closing { close(.serverStopping) }
  }
}
