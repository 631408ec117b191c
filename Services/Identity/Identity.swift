import IdentityContract
import Images
import Operations
public import Sandbox
import SecureStorage
public import ServiceKit

/// The identity service: accounts, and their security.
public enum Identity {
  /// What it starts its own program anew for.
  public static let decoders: [any SandboxedDecoder.Type] = [PictureDecoder.self]

  /// The body of the service's executable.
  public static func main() -> Never { ServiceProcess.start(.identity, decoders: decoders) { try await service($0) } }

  /// The service as its executable and the tests run it. It begins deletions of accounts itself, see ``AccountDeletionFeature``.
  ///
  /// - Throws: if the keys cannot be read or made.
  public static func service(_ environment: ServiceEnvironment) async throws -> ServiceDefinition {
    try await service(environment, cost: .standard)
  }

  /// - Parameter cost: of hashing a password; tests that do not measure it take a low one.
  static func service(_ environment: ServiceEnvironment, cost: HashCost) async throws -> ServiceDefinition {
    ServiceDefinition(
      .identity, environment, features: try await features(environment, cost: cost), erasesAccounts: false)
  }

  /// All of it.
  static func features(_ environment: ServiceEnvironment, cost: HashCost) async throws -> [any Feature] {
    let providers = ExternalProviderSettings(environment.settings)
    let places = PlaceDatabase(environment.settings)
    let schedule = environment.settings.choice(SecurityReportWorker.setting, default: ReportSchedule.both)
    let secrets = SecureStorage(environment)
    // Before keys are made: with settings that cannot be used nothing begins.
    try environment.settings.check()
    let keys = try await IdentityKeys(environment.home)
    let hasher = try PasswordHasher(cost: cost)
    let unusablePassword = try await hasher.hashOfNothing()
    let watch = LoginWatch(places, keys)
    let (clock, logger) = (environment.clock, environment.logger)
    let logins = ExternalLogins(providers, web: ProviderWeb(), clock: clock, key: keys.externalLogins, secrets: secrets)
    let others: [any Feature] = [
      AccountFeature(),
      RegisterRecordFeature(),
      AdministratorFeature(),
      AudienceFeature(),
      SecurityEventFeature(),
      IncidentFeature(),
      SecurityReportFeature(schedule: schedule),
      SecurityMailFeature(),
      SecretFeature(storage: secrets),
      KeyFeature(handlers: KeyHandlers(keys: keys.signing)),
      PasswordFeature(handlers: PasswordHandlers(keys, hasher, places)),
      ConsentFeature(),
      SettingsFeature(),
      RelationFeature(),
      DirectoryFeature(),
      ProfileFeature(handlers: ProfileHandlers(keys: keys)),
      PhotoFeature(handlers: PhotoHandlers(processor: PictureProcessor(program: environment.program, logger: logger))),
      ReportedAccountFeature(),
      PublicProfileFeature(handlers: PublicProfileHandlers(keys: keys)),
      VerificationFeature(handlers: VerificationHandlers(keys: keys), clock: clock),
      PasswordRecoveryFeature(handlers: PasswordRecoveryHandlers(keys, hasher), clock: clock),
      EmailChangeFeature(
        handlers: EmailChangeHandlers(keys: keys, hasher: hasher, unusablePassword: unusablePassword), clock: clock),
      RegistrationFeature(handlers: RegistrationHandlers(keys, hasher, watch)),
      LoginFeature(handlers: LoginHandlers(keys: keys, hasher: hasher, watch: watch)),
      ExternalIdentityFeature(handlers: ExternalIdentityHandlers(logins: logins)),
      ProviderGrantFeature(logins: logins, clock: clock, logger: logger),
      ExternalLoginFeature(
        handlers: ExternalLoginHandlers(logins: logins, keys: keys, unusablePassword: unusablePassword, watch: watch)),
      LoginAlertFeature(handlers: LoginAlertHandlers(keys: keys, watch: watch), clock: clock),
      SuspensionFeature(handlers: SuspensionHandlers(keys: keys), clock: clock),
      EmailLinkFeature(handlers: EmailLinkHandlers(keys: keys)),
      // Behind what was begun in sessions, which goes with them.
      SessionFeature(handlers: SessionHandlers(keys: keys, places: places), clock: clock),
      PersonalAccessTokenFeature(clock: clock),
      AccessWithdrawalFeature(),
    ]
    return others + [AccountDeletionFeature(keys, hasher, secrets, erasing: others, environment)]
  }
}
