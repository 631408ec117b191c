import IdentityContract
import Operations
import Synchronization

/// Why a live connection ends, as its client learns it.
enum LiveEnd: String, Sendable {
  case sessionRevoked = "session_revoked"
  /// Its account closed it from another of its sessions.
  case closedByOwner = "closed_by_owner"
  /// Its account is suspended: logging in says until when.
  case accountSuspended = "account_suspended"
  /// The personal access token was revoked.
  case tokenRevoked = "token_revoked"
  /// The access token has expired or is invalidated: the client reconnects with its next one.
  case tokenExpired = "token_expired"
  case serverStopping = "server_stopping"
  /// It took too little for too long.
  case tooSlow = "too_slow"
  /// What it lacks cannot be had at the moment.
  case unavailable = "unavailable"
  case clientGone = "client_gone"

  /// The end of a subscription whose credential was revoked.
  init(revoked credential: Credential, _ reason: SessionRevoked.Reason? = nil) {
    switch credential {
    case .session:
      switch reason {
      case .closedByOwner: self = .closedByOwner
      case .accountSuspended: self = .accountSuspended
      default: self = .sessionRevoked
      }
    case .personalAccessToken: self = .tokenRevoked
    }
  }

  /// Whether nothing more is sent on the connection: the client is gone, or no longer has access.
  var isLast: Bool {
    switch self {
    case .sessionRevoked, .closedByOwner, .accountSuspended, .tokenRevoked, .clientGone: true
    case .tokenExpired, .serverStopping, .tooSlow, .unavailable: false
    }
  }
}

/// One connection's entry in the hub.
final class LiveSubscription: Sendable {
  enum Signal: Sendable {
    case message(LiveMessage)
    case event(LiveEvent)
    case heartbeat
  }

  /// What was published since the subscription began; ends with it.
  let signals: AsyncStream<Signal>
  private let continuation: AsyncStream<Signal>.Continuation
  private struct State {
    var reason: LiveEnd?
    /// Bytes of the messages that wait.
    var waiting = 0
  }

  private let state = Mutex(State())
  private let held: HeldBytes
  private let onEnd: @Sendable () -> Void

  /// - Parameters:
  ///   - queue: messages that may wait.
  ///   - held: where their bytes count.
  init(queue: Int, _ held: HeldBytes, onEnd: @escaping @Sendable () -> Void) {
    (signals, continuation) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingOldest(queue))
    self.held = held
    self.onEnd = onEnd
  }

  /// Why it ended; nil as long as it has not.
  var end: LiveEnd? { state.withLock { $0.reason } }

  /// Ends it; the first reason stands.
  func end(_ why: LiveEnd) {
    state.withLock { state in
      if state.reason == nil { state.reason = why }
      held.release(.live, state.waiting)
      state.waiting = 0
    }
    continuation.finish()
    onEnd()
  }

  /// Queues a message; a full queue, or no room for it, ends the subscription instead.
  func offer(_ message: LiveMessage) -> Bool { offer(.message(message), message.payload.count) }

  /// The same for an event.
  func offer(_ event: LiveEvent) -> Bool { offer(.event(event), event.payload.count) }

  private func offer(_ signal: Signal, _ size: Int) -> Bool {
    if take(size) {
      guard case .dropped = continuation.yield(signal) else { return true }
    }
    end(.tooSlow)
    return false
  }

  /// Counts messages that wait from now on, or says that there is no room for them.
  func take(_ messages: [LiveMessage]) -> Bool { take(messages.reduce(0) { $0 + $1.payload.count }) }

  private func take(_ size: Int) -> Bool {
    state.withLock { state in
      // What is offered to one that has ended waits for nobody.
      guard state.reason == nil else { return true }
      guard held.change(.live, by: size) else { return false }
      state.waiting += size
      return true
    }
  }

  /// Counts a message no more, which waits no longer.
  func give(_ message: LiveMessage) { give(message.payload.count) }

  /// The same for an event.
  func give(_ event: LiveEvent) { give(event.payload.count) }

  private func give(_ size: Int) {
    state.withLock { state in
      let size = min(size, state.waiting)
      held.release(.live, size)
      state.waiting -= size
    }
  }

  func beat() { continuation.yield(.heartbeat) }
}
