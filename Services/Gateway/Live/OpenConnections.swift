import Operations
import Synchronization

/// The connections that outlive a request, so that they can be ended when what let them in is revoked, or the server stops.
final class OpenConnections: Sendable {
  typealias Close = @Sendable (LiveEnd) -> Void

  private struct State {
    var all: [UInt64: Close] = [:]
    var byCredential: [Credential: Set<UInt64>] = [:]
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

  /// The connection goes on for as long as that lets it in, from now on.
  func bind(_ key: UInt64, to credential: Credential) {
    state.withLock { _ = $0.byCredential[credential, default: []].insert(key) }
  }

  /// The connection no longer depends on that.
  func unbind(_ key: UInt64, from credential: Credential) {
    state.withLock { state in
      state.byCredential[credential]?.remove(key)
      if state.byCredential[credential]?.isEmpty == true { state.byCredential[credential] = nil }
    }
  }

  func leave(_ key: UInt64) { state.withLock { $0.all[key] = nil } }

  /// Ends the connections that were let in by that.
  func close(_ credential: Credential, _ end: LiveEnd) {
    let closing = state.withLock { state in state.byCredential[credential, default: []].compactMap { state.all[$0] } }
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
