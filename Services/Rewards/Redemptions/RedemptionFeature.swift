import IdentityContract
public import RewardsContract
import ServiceKit
import Storage

/// Coins given for offers, and the codes had for them (REW-5).
struct RedemptionFeature: Feature {
  /// Makes the codes.
  let makeCode: @Sendable () -> RedemptionCode

  let migrations = [RedemptionStore.migration(5)]
  let tables: [ErasedTable] = [
    // They stay as the causes of transfers, each under an id of its own that leads nowhere.
    .changed(
      "redemptions", "account_id = :account", .redemptions,
      by: "UPDATE redemptions SET account_id = randomblob(16) WHERE account_id = :account")
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = RedemptionHandlers(makeCode: makeCode)
    service.serve(RedeemOffer.self, write: handlers.redeem)
    service.serve(ListRedemptions.self, read: handlers.list)
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
