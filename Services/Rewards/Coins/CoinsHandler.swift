import Operations
import RewardsContract
import ServiceKit

extension ServiceDefinition {
  /// Serves the balance and the history of coins.
  mutating func serveCoins(_ formula: CoinFormula) {
    serveAtOnce(GetBalance.self) { _, call, database in
      let account = try call.account
      return Balance(
        coins: try Ledger.balance(of: account, in: database),
        carriedSteps: try Earnings.carriedSteps(of: account, in: database), stepsPerCoin: formula.stepsPerCoin)
    }

    serve(ListTransfers.self) { input, call, database in
      try Ledger.history(of: call.account, call.page(input), in: database)
    }
  }
}
