import ActivityContract
import IdentityContract
import Operations
public import RewardsContract
public import ServiceKit
import Storage

extension ServiceDefinition {
  /// The rewards service: coins for steps, and what coins are good for.
  ///
  /// - Parameter makeCode: makes the codes of redemptions; unpredictable by default.
  /// - Throws: `OffersFile.Invalid` if the operator's file of offers cannot be used.
  public static func rewards(
    _ environment: ServiceEnvironment, makeCode: @escaping @Sendable () -> RedemptionCode = RedemptionCode.unpredictable
  ) throws -> ServiceDefinition {
    let formula = CoinFormula(environment.settings)
    let published = try OffersFile.read(inHome: environment.home.path)
    var service = ServiceDefinition(
      .rewards,
      migrations: [
        Accounts.migration(1), Ledger.migration(2), Earnings.migration(3), Offers.migration(4), Redemptions.migration(5),
        Accounts.settingsMigration(6),
        Ledger.erasureMigration(7),
      ])
    service.keepAccounts()
    service.subscribe(to: MovementChanged.self) { event, _, transaction in
      guard try !transaction.database.isErased(event.accountID) else { return }
      try Earnings.count(event, by: formula, transaction)
    }
    service.serveCoins(formula)
    service.serveOffers()
    service.serveRedemptions(makeCode)
    service.erase(
      [
        .rows("counted_days", "account_id = :account", .steps),
        .rows("earnings", "account_id = :account", .steps),
        .rows("redemptions", "account_id = :account", .redemptions),
        // Sums must hold and transfers never change: the amounts stay, under an id that nobody can lead back to the account.
        .changed(
          "ledger_accounts", "account_id = :account", .coins,
          by: "UPDATE ledger_accounts SET account_id = randomblob(16), erased_at = :now WHERE account_id = :account"),
        .untouched("transfers", "amounts between numbers of the ledger"),
        .untouched("offers", "the partners' own"),
      ], environment)
    service.publishSnapshot(
      SnapshotParts([
        ("transfers", [CoinsEarned.self, CoinsCorrected.self, OfferRedeemed.self], Ledger.snapshot)
      ]).page)
    service.run { store in OffersPublisher(offers: published, store: store, logger: environment.logger) }
    return service
  }
}

extension RedemptionCode {
  /// A code from the system's generator of random numbers.
  @Sendable
  public static func unpredictable() -> RedemptionCode {
    var generator = SystemRandomNumberGenerator()
    return RedemptionCode(using: &generator)
  }
}
