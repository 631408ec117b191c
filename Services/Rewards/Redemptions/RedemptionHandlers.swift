import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// The redeeming of offers and what came of it.
struct RedemptionHandlers: Sendable {
  let makeCode: @Sendable () -> RedemptionCode

  @Sendable
  func redeem(_ input: RedeemOffer.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Redemption {
    try RedemptionStore.redeem(input.offerID, for: call.account, code: makeCode(), transaction)
  }

  @Sendable
  func list(_ input: ListRedemptions.Input, _ call: AccountCall, _ database: Database) throws -> Page<Redemption> {
    try RedemptionStore.list(of: call.account, call.page(input), in: database)
  }
}
