import IdentityContract
import Images
import Operations
public import Sandbox
import SecureStorage
public import ServiceKit

/// The identity service.
public enum Identity {
  /// What it starts its own program anew for.
  public static let decoders: [any SandboxedDecoder.Type] = [PictureDecoder.self]

  /// Builds it: for its executable, and for tests.
  ///
  /// - Throws: if the keys cannot be read or made.
  public static func service(_ environment: ServiceEnvironment) async throws -> ServiceDefinition {
    try await service(environment, cost: .standard)
  }

  /// - Parameter cost: of hashing a password; tests that do not measure it take a low one.
  static func service(_ environment: ServiceEnvironment, cost: HashCost) async throws -> ServiceDefinition {
    let externalProviders = ExternalProviderSettings(environment.settings)
    let places = PlaceDatabase(environment.settings)
    let reports = environment.settings.choice(ReportRunner.setting, default: ReportSchedule.both)
    let secrets = SecureStorage(environment)
    // Before keys are made: with settings that cannot be used nothing begins.
    try environment.settings.check()
    let keys = try await IdentityKeys(environment.home)
    let hasher = try PasswordHasher(cost: cost)
    let watch = LoginWatch(places, keys)
    var service = ServiceDefinition(.identity, migrations: Schema.migrations)
    service.decideDoubt { session, database in try database.isInDoubt(session) }
    service.serveAccounts()
    service.serveRegistration(keys: keys, hasher: hasher, watch: watch)
    service.serveVerification(keys: keys)
    service.serveAdministrators()
    service.serveSettings()
    service.serveConsents()
    service.serveDirectory()
    service.serveLogIn(keys: keys, hasher: hasher, watch: watch)
    service.serveRecovery(keys: keys, hasher: hasher)
    service.servePasswordChanges(keys: keys, hasher: hasher, places: places)
    service.serveSessions(keys: keys, places: places)
    service.serveOwnSessions(places: places)
    service.servePersonalAccessTokens()
    service.serveLoginAlerts(keys: keys, watch: watch)
    service.serveSecurityEvents()
    service.serveIncidents()
    service.serveReports()
    service.serveSecurityMails()
    service.serveKeys(keys)
    let logins = ExternalLogins(
      externalProviders, web: ProviderWeb(), clock: environment.clock, key: keys.externalLogins, secrets: secrets)
    let unusablePassword = try await hasher.hashOfNothing()
    service.serveExternalLogins(logins, keys: keys, unusablePassword: unusablePassword, watch: watch)
    service.serveIdentities(logins)
    service.serveProfiles(keys: keys)
    service.servePhotos(PictureProcessor(program: environment.program, logger: environment.logger))
    service.servePublicProfiles(keys: keys)
    service.serveEmailChanges(keys: keys, hasher: hasher, unusablePassword: unusablePassword)
    service.serveMailedLinks(keys: keys)
    service.serveDeletions(keys: keys, hasher: hasher, secrets: secrets, environment)
    service.publishSnapshot(Snapshot(clock: environment.clock, places: places).parts.page)
    service.run { store in Housekeeping(store: store, logger: environment.logger) }
    service.run { store in ReportRunner(store: store, schedule: reports) }
    service.run { store in
      ProviderRevocations(store: store, logins: logins, clock: environment.clock, logger: environment.logger)
    }
    return service
  }
}
