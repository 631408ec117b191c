import Crypto
import Foundation
import IdentityContract
import Operations

/// Finds the account of a personal access token. Identity's answer is cached for a short time, and a revocation ends it at once.
///
/// A text without the form of a token is not sent to identity, and identity only ever sees a hash.
final class PersonalAccessTokens: Sendable {
  /// Asks identity; throws the ``Failure`` it answers.
  typealias Ask = @Sendable (PersonalAccessTokenHash) async throws -> IdentifyPersonalAccessToken.Output

  /// How long an answer is good: after so long the account may be another, and identity learns that the token is in use.
  static let goodSeconds = 60

  private let cache: TokenCache
  private let revocations: Revocations
  private let clock: Clock
  private let ask: Ask

  init(bound: Int, revocations: Revocations, clock: Clock, ask: @escaping Ask) {
    cache = TokenCache(bound: bound, lifetimeSeconds: Self.goodSeconds, clock: clock)
    self.revocations = revocations
    self.clock = clock
    self.ask = ask
  }

  /// The token's owner and what it allows.
  ///
  /// - Throws: ``TokenRefusal``; a ``Failure`` if identity cannot be asked.
  func identify(_ text: String) async throws -> Identification {
    let now = clock.now
    if let known = cache[text] {
      let refusal = revocations.refusal(of: known, now: now)
      if refusal == nil, now < known.issuedAt.adding(seconds: Self.goodSeconds) { return known }
      cache.remove(text)
      if refusal == .revoked { throw TokenRefusal.invalid(.unknown) }
    }
    guard PersonalAccessTokenForm.isMet(by: text) else { throw TokenRefusal.invalid(.malformed) }
    let identification = Identification(try await answer(Self.hash(text)), at: now)
    // Revoked while identity was being asked: the answer may be from before.
    if revocations.refusal(of: identification, now: now) == .revoked { throw TokenRefusal.invalid(.unknown) }
    cache.insert(text, identification)
    return identification
  }

  /// What identity knows a token by.
  static func hash(_ text: String) -> PersonalAccessTokenHash {
    guard let hash = PersonalAccessTokenHash(bytes: SHA256.hash(data: Data(text.utf8))) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    return hash
  }

  private func answer(_ hash: PersonalAccessTokenHash) async throws -> IdentifyPersonalAccessToken.Output {
    do {
      return try await ask(hash)
    } catch let failure as Failure where failure.code == RequestFailure.unauthenticated.rawValue {
      throw TokenRefusal.invalid(.unknown)
    } catch let failure as Failure where failure.code == RequestFailure.tokenExpired.rawValue {
      throw TokenRefusal.expired
    }
  }
}

extension Identification {
  /// What identity answered at that instant. No token administers.
  fileprivate init(_ answer: IdentifyPersonalAccessToken.Output, at instant: Instant) {
    self.init(
      account: answer.accountID, credential: .personalAccessToken(answer.tokenID), scopes: Set(answer.scopes),
      isVerified: answer.isVerified, isAdministrator: false, language: answer.language, issuedAt: instant,
      expiresAt: answer.expiresAt ?? Self.never)
  }
}
