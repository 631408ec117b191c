import IdentityContract
import Operations
public import ServiceKit

/// The identity service.
public enum Identity {
  /// Builds it: for its executable, and for tests.
  ///
  /// - Throws: if the keys cannot be read or made.
  public static func service(_ environment: ServiceEnvironment) async throws -> ServiceDefinition {
    try await service(environment, cost: .standard)
  }

  /// - Parameter cost: of hashing a password; tests that do not measure it take a low one.
  static func service(_ environment: ServiceEnvironment, cost: HashCost) async throws -> ServiceDefinition {
    let keys = try await IdentityKeys(environment.home)
    let hasher = try PasswordHasher(cost: cost)
    var service = ServiceDefinition(.identity, migrations: Schema.migrations)
    service.serveAccounts()
    service.serveRegistration(hasher: hasher)
    service.serveVerification(keys: keys)
    service.serveAdministrators()
    service.serveLogIn(keys: keys, hasher: hasher)
    service.serveRecovery(keys: keys, hasher: hasher)
    service.servePasswordChanges(keys: keys, hasher: hasher)
    service.serveSessions(keys: keys)
    service.serveOwnSessions()
    service.servePersonalAccessTokens()
    service.serveKeys(keys)
    service.serveProfiles()
    service.servePhotos()
    service.servePublicProfiles(keys: keys)
    service.serveEmailChanges(keys: keys, hasher: hasher)
    service.tellSnapshot(Snapshot(clock: environment.clock).page)
    service.run { store in Housekeeping(store: store, logger: environment.logger) }
    return service
  }
}
