import IdentityContract
public import RewardsContract
import ServiceKit
import Storage

/// Redemptions of offers for coins, their codes, and the partners' use of these (REW-5).
struct RedemptionFeature: Feature {
  private let handlers: RedemptionHandlers
  private let partners: PartnerRedemptionHandlers

  let migrations: [Migration]
  let tables: [ErasedTable] = [
    // The cause of a transfer stays, and so does what the partner must keep of a used code; an unused code is deleted.
    .changed(
      "redemptions", "account_id = :account", .redemptions,
      by: "UPDATE redemptions SET \(RedemptionFeature.erased) WHERE account_id = :account",
      steps: [
        """
        UPDATE redemptions SET \(RedemptionFeature.erased) WHERE redemption_id IN (
          SELECT redemption_id FROM redemptions WHERE account_id = :account LIMIT :limit)
        """
      ])
  ]

  private static let erased = """
    account_id = NULL, sealed_code = NULL, void_reason = NULL, code_hash = iif(state = 'used', code_hash, NULL)
    """

  /// - Parameter makeCode: generates codes.
  init(makeCode: @escaping @Sendable () -> RedemptionCode, calendars: AccountCalendars, _ environment: ServiceEnvironment) {
    let (keys, codes) = (RedemptionKeys(environment.home), SealedCodes(environment))
    handlers = RedemptionHandlers(makeCode: makeCode, keys: keys, codes: codes, calendars: calendars)
    partners = PartnerRedemptionHandlers(keys: keys)
    migrations = [
      RedemptionStore.migration(5), RedemptionStore.sealingMigration(21, codes, keys), RedemptionStore.keyMigration(30),
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(RedeemOffer.self, write: handlers.redeem)
    service.serve(ListRedemptions.self, read: handlers.list)
    service.serve(GetRedemption.self, read: handlers.get)
    service.serve(PresentRedemption.self, read: handlers.present)
    service.serve(VoidRedemption.self, write: RedemptionHandlers.void)
    service.serveAttempt(CheckCode.self, prepare: { _, _ in }, write: partners.check)
    service.serveAttempt(UseCode.self, prepare: { _, _ in }, write: partners.use)
    service.serve(ListPartnerRedemptions.self, read: PartnerRedemptionHandlers.list)
    service.serve(VoidPartnerRedemption.self, write: PartnerRedemptionHandlers.void)
    let codes = handlers.codes
    service.run { store in RedemptionCodeWorker(store: store, codes: codes) }
  }
}

extension RedemptionCode {
  /// Generates a code with the system's random number generator.
  @Sendable
  public static func unpredictable() -> RedemptionCode {
    var generator = SystemRandomNumberGenerator()
    return RedemptionCode(using: &generator)
  }
}
