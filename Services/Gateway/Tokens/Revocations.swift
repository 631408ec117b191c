import Operations
import Synchronization

/// The sessions closed lately: their tokens are dead although they have not expired.
///
/// A session is remembered until the last of its tokens has expired. When more are closed than are to be remembered, all tokens
/// made until then count as expired: their owners refresh them with identity, which knows every closed session.
final class Revocations: Sendable {
  private struct State {
    var until: [SessionID: Instant] = [:]
    var staleBefore = Instant(milliseconds: 0)
  }

  private let bound: Int
  private let clock: Clock
  private let state = Mutex(State())

  init(bound: Int, clock: Clock) {
    self.bound = bound
    self.clock = clock
  }

  /// Notes that a session was closed.
  func revoke(_ session: SessionID, until: Instant) {
    let now = clock.now
    state.withLock { state in
      if state.until.count >= bound, state.until[session] == nil {
        state.until = state.until.filter { $0.value > now }
        if state.until.count >= bound {
          state.until = [:]
          state.staleBefore = now
        }
      }
      state.until[session] = max(until, state.until[session] ?? until)
    }
  }

  /// Why a token that was right when it was made no longer is.
  func refusal(of identification: Identification, now: Instant) -> TokenRefusal? {
    state.withLock { state in
      if state.until[identification.session] != nil { return .revoked }
      if identification.expiresAt <= now || identification.issuedAt < state.staleBefore { return .expired }
      return nil
    }
  }
}
