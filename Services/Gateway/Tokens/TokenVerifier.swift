import Crypto
import IdentityContract
import Operations
import Synchronization

/// Finds the account of a token: a session's access token, or a personal access token.
///
/// Until the revocations from before the gateway's start are known, callers with a token wait, and get `unavailable` if that takes longer
/// than ``patience``.
final class TokenVerifier: Sendable {
  private let keys: KeyRing
  private let cache: TokenCache
  private let personal: PersonalAccessTokens
  private let clock: Clock
  /// For a gateway that has just begun to learn what was revoked.
  static let patience = Duration.seconds(2)

  let revocations: Revocations
  let languages: AccountLanguages

  init(_ configuration: GatewayConfiguration.Tokens, keys: KeyRing, clock: Clock, personal: @escaping PersonalAccessTokens.Ask) {
    self.keys = keys
    self.clock = clock
    cache = TokenCache(bound: configuration.remembered, lifetimeSeconds: AccessTokenForm.lifetimeSeconds, clock: clock)
    revocations = Revocations(bound: configuration.revocations, clock: clock)
    languages = AccountLanguages(bound: configuration.remembered, clock: clock)
    self.personal = PersonalAccessTokens(bound: configuration.remembered, revocations: revocations, clock: clock, ask: personal)
  }

  /// The token's owner, with the language that is theirs now.
  ///
  /// - Throws: ``TokenRefusal``; a ``Failure`` if identity's keys or what it revoked cannot be had.
  func identify(_ token: String) async throws -> Identification {
    if !revocations.areKnown {
      guard await revocations.areKnown(within: Self.patience) else {
        throw Failure(RequestFailure.unavailable, retryAfterSeconds: 1)
      }
    }
    var identification = try await read(token)
    identification.language = languages.language(of: identification)
    return identification
  }

  private func read(_ token: String) async throws -> Identification {
    if let known = cache[token], known.keyID.map(keys.isTrusted) ?? true {
      guard let refusal = revocations.refusal(of: known, now: clock.now) else { return known }
      if refusal == .revoked { cache.remove(token) }
      throw refusal
    }
    if token.begins(with: PersonalAccessTokenForm.prefix) { return try await personal.identify(token) }
    let unverified = try AccessToken.parse(token)
    guard let key = try await keys.key(unverified.keyID) else { throw TokenRefusal.invalid(.key) }
    guard key.isValidSignature(unverified.signature, for: unverified.signedText) else { throw TokenRefusal.invalid(.signature) }
    var identification = try AccessToken.identification(unverified.claims, now: clock.now)
    identification.keyID = unverified.keyID
    if let refusal = revocations.refusal(of: identification, now: clock.now) { throw refusal }
    cache.insert(token, identification)
    return identification
  }
}

/// A key that only checks Ed25519 signatures: the algorithm belongs to the key, never to the token.
struct VerificationKey: Sendable {
  private let key: Curve25519.Signing.PublicKey

  init(bytes: [UInt8]) throws { key = try Curve25519.Signing.PublicKey(rawRepresentation: bytes) }

  func isValidSignature(_ signature: [UInt8], for text: [UInt8]) -> Bool { key.isValidSignature(signature, for: text) }
}
