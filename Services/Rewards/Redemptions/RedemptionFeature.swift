import IdentityContract
public import RewardsContract
import ServiceKit
import Storage

/// Coins given for offers, and the codes had for them (REW-5).
struct RedemptionFeature: Feature {
  /// Makes the codes.
  let makeCode: @Sendable () -> RedemptionCode

  let migrations = [RedemptionStore.migration(5)]
  let tables: [ErasedTable] = [.rows("redemptions", "account_id = :account", .redemptions)]

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
