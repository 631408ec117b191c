import IdentityContract
import Logging
import Operations
import ServiceKit
import Synchronization

/// Identity's public keys, by their ids. There is no default key.
///
/// They are fetched every minute (`racha.tokens.keySeconds`): a key that identity no longer publishes is no longer trusted, nor are tokens
/// that it verified. An unknown key id causes an additional fetch, at most once a second, so that new keys are found and made-up ids do not
/// load identity. While identity cannot be reached, the last published keys stay.
actor KeyRing {
  /// Asks identity for the keys it publishes.
  typealias Fetch = @Sendable () async throws -> [PublicSigningKey]

  private let fetch: Fetch
  private let clock: Clock
  private let logger: Logger
  private let keys = Mutex<[String: VerificationKey]>([:])
  private var fetchedAt: Instant?
  private var fetching: Task<Void, any Error>?

  init(clock: Clock, logger: Logger, fetch: @escaping Fetch) {
    self.fetch = fetch
    self.clock = clock
    self.logger = logger
  }

  /// The key of that id; nil if identity publishes none.
  ///
  /// - Throws: what asking identity ends in, if the key is not known.
  func key(_ id: String) async throws -> VerificationKey? {
    if let key = keys.withLock({ $0[id] }) { return key }
    try await refresh()
    return keys.withLock { $0[id] }
  }

  /// Whether identity published a key of that id when it was asked last.
  nonisolated func isTrusted(_ id: String) -> Bool { keys.withLock { $0[id] != nil } }

  /// Fetches the keys, over and over, until the task is cancelled.
  func follow(every seconds: Int) async throws {
    while true {
      do {
        try await refresh()
      } catch  where !Task.isCancelled {
        // Said in the log; identity is asked again when it is time.
      }
      try await Task.sleep(for: .seconds(seconds))
    }
  }

  /// Asks identity, unless that was less than a second ago. Callers that come while an answer is awaited share it.
  func refresh() async throws {
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
      logger.warning("identity's keys cannot be fetched", metadata: ["error": "\(error)"])
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
    let retired = keys.withLock { keys in
      defer { keys = fresh }
      return keys.keys.filter { fresh[$0] == nil }
    }
    for id in retired { logger.notice("a signing key is no longer trusted", metadata: ["kid": "\(id)"]) }
  }
}
