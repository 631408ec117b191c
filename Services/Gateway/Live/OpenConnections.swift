import Operations
import Synchronization

/// The connections that outlive a request, so that they can be ended when what let them in is revoked, or the server stops.
final class OpenConnections: Sendable {
  typealias Close = @Sendable (LiveEnd) -> Void

  private struct State {
    var all: [UInt64: Close] = [:]
    /// Each with the generation of the token that it came by last.
    var byCredential: [Credential: [UInt64: Int]] = [:]
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

  /// Ties the connection to the credential: it is closed when that is revoked.
  func bind(_ key: UInt64, to identification: Identification) {
    state.withLock { $0.byCredential[identification.credential, default: [:]][key] = identification.generation }
  }

  /// The connection no longer depends on that.
  func unbind(_ key: UInt64, from credential: Credential) {
    state.withLock { state in
      state.byCredential[credential]?[key] = nil
      if state.byCredential[credential]?.isEmpty == true { state.byCredential[credential] = nil }
    }
  }

  func leave(_ key: UInt64) { state.withLock { $0.all[key] = nil } }

  /// Ends the connections that were let in by that.
  ///
  /// - Parameter generation: only those that came by a token from before it; nil for all.
  func close(_ credential: Credential, before generation: Int? = nil, _ end: LiveEnd) {
    let closing = state.withLock { state in
      state.byCredential[credential, default: [:]].filter { generation == nil || $0.value < generation ?? 0 }
        .compactMap { state.all[$0.key] }
    }
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
