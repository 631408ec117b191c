import IdentityContract
import Logging
import Operations
import ServiceKit
import Synchronization

/// Identity's public keys, by their ids. There is no default key.
///
/// A key id that is not known makes it ask identity again, at most once a second, so that new keys are found and made-up ids
/// cost identity nothing.
actor KeyRing {
  /// Asks identity for the keys it publishes.
  typealias Fetch = @Sendable () async throws -> [PublicSigningKey]

  private let fetch: Fetch
  private let clock: Clock
  private let logger: Logger
  private var keys: [String: VerificationKey] = [:]
  private var fetchedAt: Instant?
  private var fetching: Task<Void, any Error>?

  init(clock: Clock, logger: Logger, fetch: @escaping Fetch) {
    self.clock = clock
    self.logger = logger
    self.fetch = fetch
  }

  /// The key of that id; nil if identity publishes none.
  ///
  /// - Throws: what asking identity ends in, if no key was ever had.
  func key(_ id: String) async throws -> VerificationKey? {
    if let key = keys[id] { return key }
    try await refresh()
    return keys[id]
  }

  /// Asks identity, unless that was less than a second ago. Callers that come while an answer is awaited share it.
  private func refresh() async throws {
    if let fetching { return try await fetching.value }
    if let fetchedAt, clock.now.milliseconds - fetchedAt.milliseconds < 1000 { return }
    let task = Task {
      let published = try await fetch()
      take(published)
    }
    fetching = task
    defer { fetching = nil }
    do {
      try await task.value
      fetchedAt = clock.now
    } catch {
      logger.warning("identity's keys cannot be had", metadata: ["error": "\(error)"])
      throw error
    }
  }

  private func take(_ published: [PublicSigningKey]) {
    var fresh: [String: VerificationKey] = [:]
    for key in published {
      guard key.kty == "OKP", key.crv == "Ed25519", key.alg == "EdDSA", !key.kid.isEmpty, let bytes = Base64URL.decode(key.x)
      else {
        logger.warning("a published key is not an Ed25519 key", metadata: ["kid": "\(key.kid)"])
        continue
      }
      do {
        fresh[key.kid] = try VerificationKey(bytes: bytes)
      } catch {
        logger.warning("a published key is malformed", metadata: ["kid": "\(key.kid)"])
      }
    }
    keys = fresh
  }
}
