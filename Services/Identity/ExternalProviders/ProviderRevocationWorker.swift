import IdentityContract
import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Gives grants back to their providers, once the identity is unlinked, the account deleted, or the login failed: the provider is asked to
/// forget the token (RFC 7009). Apple demands this of apps that offer its login (App Review Guidelines, 5.1.1(v)).
///
/// The grants are in the store as soon as they were made. They are sent one after the other, a bounded number for each provider in a round;
/// an unavailable provider is skipped for the rest of the round.
struct ProviderRevocationWorker: Service {
  static let maxPerKind = 20

  let store: Store
  let logins: ExternalLogins
  let clock: Clock
  let logger: Logger
  let interval: Duration

  init(store: Store, logins: ExternalLogins, clock: Clock, logger: Logger, interval: Duration = .seconds(10)) {
    self.store = store
    self.logins = logins
    self.clock = clock
    self.logger = logger
    self.interval = interval
  }

  func run() async throws { try await repeating(every: interval) { try await sendDue() } }

  /// Gives back the due grants.
  func sendDue() async throws {
    let now = clock.now
    let due = try await store.read { try ProviderGrantStore.due(now: now, ofEach: Self.maxPerKind, in: $0) }
    var away: Set<String> = []
    for grant in due where !away.contains(grant.provider) {
      if try await !send(grant.id) { away.insert(grant.provider) }
    }
  }

  /// - Returns: whether its provider can be asked for more.
  private func send(_ id: ProviderGrantID) async throws -> Bool {
    let secrets = logins.secrets
    guard let revocation = try await store.write({ try ProviderGrantStore.takeOn(id, in: secrets, $0) }) else { return true }
    do {
      try await logins.revoke(revocation, now: clock.now)
      try await store.write { try ProviderGrantStore.end(revocation, $0) }
      return true
    } catch let problem as ProviderError {
      // An attempt cut off by the service's shutdown says nothing about the provider.
      try Task.checkCancellation()
      let isOver = problem.failure == .refused || revocation.isLastTry
      logger.warning(
        "a provider's grant was not revoked",
        metadata: [
          "provider": .string(revocation.provider), "reason": .string(problem.code), "isOver": .stringConvertible(isOver),
        ])
      if isOver { try await store.write { try ProviderGrantStore.end(revocation, problem, $0) } }
      return problem.failure == .refused
    }
  }
}
