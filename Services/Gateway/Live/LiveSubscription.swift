import IdentityContract
import Operations
import Synchronization

/// Why a live connection ends, as its client is told.
enum LiveEnd: String, Sendable {
  case sessionRevoked = "session_revoked"
  /// Its account closed it from another of its sessions.
  case closedByOwner = "closed_by_owner"
  /// The personal access token was revoked.
  case tokenRevoked = "token_revoked"
  /// The access token has expired, or what it says is so no longer: with the next one, the client comes again.
  case tokenExpired = "token_expired"
  case serverStopping = "server_stopping"
  /// It took too little for too long.
  case tooSlow = "too_slow"
  /// What it lacks cannot be had at the moment.
  case unavailable = "unavailable"
  case clientGone = "client_gone"

  /// What ends where the credential no longer lets anybody in.
  init(revoked credential: Credential, _ reason: SessionRevoked.Reason? = nil) {
    switch credential {
    case .session: self = reason == .closedByOwner ? .closedByOwner : .sessionRevoked
    case .personalAccessToken: self = .tokenRevoked
    }
  }

  /// Whether nothing more is said to a client on the connection: it is gone, or no longer let in.
  var isLast: Bool {
    switch self {
    case .sessionRevoked, .closedByOwner, .tokenRevoked, .clientGone: true
    case .tokenExpired, .serverStopping, .tooSlow, .unavailable: false
    }
  }
}

/// One connection's place in the hub.
final class LiveSubscription: Sendable {
  enum Signal: Sendable {
    case message(LiveMessage)
    case heartbeat
  }

  /// What was told since the subscription began; ends with it.
  let signals: AsyncStream<Signal>
  private let continuation: AsyncStream<Signal>.Continuation
  private let reason = Mutex<LiveEnd?>(nil)
  private let onEnd: @Sendable () -> Void

  init(queue: Int, onEnd: @escaping @Sendable () -> Void) {
    (signals, continuation) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingOldest(queue))
    self.onEnd = onEnd
  }

  /// Why it ended; nil as long as it has not.
  var end: LiveEnd? { reason.withLock { $0 } }

  /// Ends it; the first reason stands.
  func end(_ why: LiveEnd) {
    reason.withLock { if $0 == nil { $0 = why } }
    continuation.finish()
    onEnd()
  }

  /// Queues a message; a full queue ends the subscription instead.
  func offer(_ message: LiveMessage) -> Bool {
    guard case .dropped = continuation.yield(.message(message)) else { return true }
    end(.tooSlow)
    return false
  }

  func beat() { continuation.yield(.heartbeat) }
}
