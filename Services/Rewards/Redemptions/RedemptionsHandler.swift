import Operations
import RewardsContract
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the redeeming of offers and what came of it.
  mutating func serveRedemptions(_ makeCode: @escaping @Sendable () -> RedemptionCode) {
    serve(RedeemOffer.self) { input, call, transaction in
      try Redemptions.redeem(input.offerID, for: try call.account, code: makeCode(), transaction)
    }

    serve(ListRedemptions.self) { input, call, database in
      try Redemptions.list(of: call.account, call.page(input), in: database)
    }
  }
}
