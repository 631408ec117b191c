import Operations
import Synchronization

/// The sessions closed and personal access tokens revoked lately: what they let in before is let in no more.
///
/// A session is remembered until the last of its tokens has expired, a personal access token until nobody remembers an answer about it. When more are closed than are to be remembered, all tokens
/// made until then count as expired: their owners refresh them with identity, which knows every closed session.
final class Revocations: Sendable {
  private struct State {
    var until: [Credential: Instant] = [:]
    var staleBefore = Instant(milliseconds: 0)
  }

  private let bound: Int
  private let clock: Clock
  private let state = Mutex(State())

  init(bound: Int, clock: Clock) {
    self.bound = bound
    self.clock = clock
  }

  /// Notes that nobody is let in by that any more.
  func revoke(_ credential: Credential, until: Instant) {
    let now = clock.now
    state.withLock { state in
      if state.until.count >= bound, state.until[credential] == nil {
        state.until = state.until.filter { $0.value > now }
        if state.until.count >= bound {
          state.until = [:]
          state.staleBefore = now
        }
      }
      state.until[credential] = max(until, state.until[credential] ?? until)
    }
  }

  /// Why a token that was right when it was made no longer is.
  func refusal(of identification: Identification, now: Instant) -> TokenRefusal? {
    state.withLock { state in
      if state.until[identification.credential] != nil { return .revoked }
      if identification.expiresAt <= now || identification.issuedAt < state.staleBefore { return .expired }
      return nil
    }
  }
}
