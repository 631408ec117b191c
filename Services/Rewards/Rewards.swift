public import RewardsContract
public import ServiceKit

/// The rewards service: coins for steps, and what coins are good for.
public enum Rewards {
  /// The service as its executable and the tests run it.
  ///
  /// - Parameter makeCode: makes the codes of redemptions; unpredictable by default.
  /// - Throws: `OffersFile.Invalid` if the operator's file of offers cannot be used.
  public static func service(
    _ environment: ServiceEnvironment, makeCode: @escaping @Sendable () -> RedemptionCode = RedemptionCode.unpredictable
  ) throws -> ServiceDefinition {
    ServiceDefinition(
      .rewards, environment,
      features: [
        AccountsFeature(migrations: (table: 1, settings: 6, people: 8, enrollment: 9)),
        LedgerFeature(),
        CoinFeature(formula: CoinFormula(environment.settings)),
        OfferFeature(published: try OffersFile.read(inHome: environment.home.path), logger: environment.logger),
        RedemptionFeature(makeCode: makeCode),
      ])
  }
}
