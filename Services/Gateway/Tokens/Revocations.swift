import IdentityContract
import Operations
import Synchronization

/// The recently closed sessions and revoked personal access tokens, which no longer give access. For sessions that go on, access tokens
/// that were recently invalidated count as expired.
///
/// A session is remembered until the last of its tokens has expired, a personal access token until no cached answer about it is left. When
/// there are more than may be remembered, all tokens issued until then count as expired: their owners refresh them with identity, which
/// knows every closed session.
///
/// A gateway that starts knows none: until identity has reported all recent revocations, no token gives access; see ``areKnown(within:)``.
final class Revocations: Sendable {
  private struct State {
    var until: [Credential: Instant] = [:]
    var invalidated: [SessionID: Invalidation] = [:]
    var staleBefore = Instant(milliseconds: 0)

    /// Before there is more to remember than is to be remembered.
    mutating func makeRoom(_ bound: Int, now: Instant) {
      guard until.count + invalidated.count >= bound else { return }
      until = until.filter { $0.value > now }
      invalidated = invalidated.filter { $0.value.until > now }
      guard until.count + invalidated.count >= bound else { return }
      (until, invalidated) = ([:], [:])
      staleBefore = now
    }
  }

  private struct Invalidation {
    /// The first that is good.
    let generation: Int
    let until: Instant
  }

  private let bound: Int
  private let clock: Clock
  private let state = Mutex(State())
  private let known = Latch()

  init(bound: Int, clock: Clock) {
    self.bound = bound
    self.clock = clock
  }

  /// Whether everything that was revoked lately is known here.
  var areKnown: Bool { known.isOpen }

  /// The same, after waiting for that time at most.
  func areKnown(within time: Duration) async -> Bool { await known.isOpen(within: time) }

  /// Notes that identity has reported all that it had revoked; what it revokes from now on comes as it happens.
  func becomeKnown() { known.open() }

  /// Notes that the credential no longer gives access.
  func revoke(_ credential: Credential, until: Instant) {
    let now = clock.now
    state.withLock { state in
      if state.until[credential] == nil { state.makeRoom(bound, now: now) }
      state.until[credential] = max(until, state.until[credential] ?? until)
    }
  }

  /// Notes that of the session's access tokens those of an earlier generation are no longer valid.
  func invalidateTokens(_ session: SessionID, before generation: Int, until: Instant) {
    let now = clock.now
    state.withLock { state in
      if state.invalidated[session] == nil { state.makeRoom(bound, now: now) }
      // They may be published again, by a snapshot.
      guard generation > state.invalidated[session]?.generation ?? -1 else { return }
      state.invalidated[session] = Invalidation(generation: generation, until: until)
    }
  }

  /// Why a token that was right when it was made no longer is.
  func refusal(of identification: Identification, now: Instant) -> TokenRefusal? {
    state.withLock { state in
      if state.until[identification.credential] != nil { return .revoked }
      if let session = identification.session, let invalidation = state.invalidated[session],
        identification.generation < invalidation.generation
      {
        return .expired
      }
      if identification.expiresAt <= now || identification.issuedAt < state.staleBefore { return .expired }
      return nil
    }
  }
}
