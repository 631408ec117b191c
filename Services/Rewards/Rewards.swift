import IdentityContract
import Images
import Operations
public import RewardsContract
public import Sandbox
public import ServiceKit
import Storage

/// The rewards service: coins for steps, and what coins are good for.
public enum Rewards {
  /// What it starts its own program anew for.
  public static let decoders: [any SandboxedDecoder.Type] = [PictureDecoder.self]

  /// The body of the service's executable.
  public static func main() -> Never { ServiceProcess.start(.rewards, decoders: decoders) { try service($0) } }

  /// The service as its executable and the tests run it.
  ///
  /// - Parameter makeCode: makes the codes of redemptions; unpredictable by default.
  /// - Throws: `OffersFile.Invalid` or `ChallengesFile.Invalid` if a file of the operator's cannot be used.
  public static func service(
    _ environment: ServiceEnvironment, makeCode: @escaping @Sendable () -> RedemptionCode = RedemptionCode.unpredictable
  ) throws -> ServiceDefinition {
    var definition = ServiceDefinition(.rewards, environment, features: try features(environment, makeCode: makeCode))
    // A day's change touches some twenty pages, of hundreds of accounts in one transaction.
    definition.storeLimits.writerCacheKilobytes = 8_000
    return definition
  }

  /// All of it. Each stands behind those that it builds on.
  static func features(
    _ environment: ServiceEnvironment, makeCode: @escaping @Sendable () -> RedemptionCode = RedemptionCode.unpredictable
  ) throws -> [any Feature] {
    let expiry = CoinExpiry(environment.settings)
    let pictures = PictureProcessor(program: environment.program, logger: environment.logger)
    let formula = CoinFormula(environment.settings)
    let catalogues = ChallengeCatalogues()
    let challenges = ChallengeFeature(
      published: try ChallengesFile.published(environment), formula: formula, catalogues: catalogues, expiry: expiry,
      logger: environment.logger)
    return [
      AccountsFeature(
        migrations: (table: 1, settings: 6, people: 8, enrollment: 9),
        whenWithdrawn: { account, purposes, transaction in
          guard purposes.contains(.activityData) else { return }
          try PendingDayStore.noteWithdrawal(of: account, transaction)
        },
        whenChanged: { account, transaction in
          try SuspensionEndStore.follow(account, transaction)
          try LeaderboardStore.follow(account, earningDays: formula.earningDays, transaction)
        }),
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
      RedemptionFeature(makeCode: makeCode, environment),
      EndingOfferFeature(environment.settings),
      TeamMemberFeature(),
      LeaderboardFeature(formula: formula),
      FriendPlaceFeature(),
      challenges,
      ChallengeCorrectionFeature(rewards: ChallengeRewards(expiry: expiry)),
      AchievementFeature(catalogues: catalogues),
      BadgeFeature(catalogues: catalogues),
      SuspensionEndFeature(clock: environment.clock) { account, transaction in
        try LeaderboardStore.follow(account, earningDays: formula.earningDays, transaction)
        try challenges.engine.releaseHeld(account, transaction)
      },
    ]
  }
}
