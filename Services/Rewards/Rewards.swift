import Images
import Operations
public import RewardsContract
public import Sandbox
public import ServiceKit
import Storage

/// The rewards service: coins for steps, and the offers for which they are spent.
public enum Rewards {
  /// The decoders for which the service starts its own program as a separate process.
  public static let decoders: [any SandboxedDecoder.Type] = [PictureDecoder.self]

  /// The body of the service's executable.
  public static func main() -> Never { ServiceProcess.start(.rewards, decoders: decoders) { try service($0) } }

  /// Creates the service for its executable and for tests.
  ///
  /// - Parameter makeCode: generates the codes of redemptions; unpredictable by default.
  /// - Throws: `OffersFile.Invalid` or `ChallengesFile.Invalid` if one of the operator's files cannot be used.
  public static func service(
    _ environment: ServiceEnvironment, makeCode: @escaping @Sendable () -> RedemptionCode = RedemptionCode.unpredictable
  ) throws -> ServiceDefinition {
    var definition = ServiceDefinition(.rewards, environment, features: try features(environment, makeCode: makeCode))
    // A day's change touches about twenty pages, for hundreds of accounts in one transaction.
    definition.storeLimits.writerCacheKilobytes = 8_000
    return definition
  }

  /// All features of the service. Each comes after those that it depends on.
  static func features(
    _ environment: ServiceEnvironment, makeCode: @escaping @Sendable () -> RedemptionCode = RedemptionCode.unpredictable
  ) throws -> [any Feature] {
    let expiry = CoinExpiry(environment.settings)
    let pictures = PictureProcessor(program: environment.program, logger: environment.logger)
    let formula = CoinFormula(environment.settings)
    let calendars = AccountCalendars()
    let catalogues = ChallengeCatalogues()
    let rewards = ChallengeRewards(expiry: expiry, calendars: calendars)
    let challenges = ChallengeFeature(
      published: try ChallengesFile.published(environment), formula: formula, catalogues: catalogues, rewards: rewards,
      calendars: calendars, logger: environment.logger)
    return [
      AccountsFeature(migrations: (table: 1, settings: 6, people: 8, enrollment: 9, everyone: 28)),
      RelationFeature(),
      LedgerFeature(expiry: expiry, clock: environment.clock, logger: environment.logger),
      CoinFeature(formula: formula, expiry: expiry),
      AdjustmentFeature(expiry: expiry),
      CoinWeekFeature(),
      PartnerFeature(handlers: PartnerHandlers(pictures: pictures), environment: environment),
      PartnerMemberFeature(),
      PartnerPlaceFeature(),
      OfferFeature(
        published: try OffersFile.read(inHome: environment.home.path), partners: PartnerOfferHandlers(pictures: pictures),
        logger: environment.logger),
      OfferViewFeature(),
      RedemptionFeature(makeCode: makeCode, calendars: calendars, environment),
      ExpiringOfferFeature(environment.settings),
      TeamMemberFeature(),
      LeaderboardFeature(formula: formula, calendars: calendars),
      FriendRankFeature(calendars: calendars),
      challenges,
      ChallengeCorrectionFeature(rewards: rewards, calendars: calendars),
      AchievementFeature(catalogues: catalogues, calendars: calendars),
      BadgeFeature(catalogues: catalogues, calendars: calendars),
      SuspensionEndFeature(clock: environment.clock) { account, transaction in
        try LeaderboardStore.follow(account, earningDays: formula.earningDays, transaction)
        try challenges.engine.releaseHeld(account, transaction)
      },
    ]
  }
}
