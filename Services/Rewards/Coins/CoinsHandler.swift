import Operations
import RewardsContract
import ServiceKit

extension ServiceDefinition {
  /// Serves the balance and the history of coins.
  mutating func serveCoins(_ formula: CoinFormula) {
    serve(GetBalance.self) { _, call, database in
      let account = try call.account
      return Balance(
        coins: try Ledger.balance(of: account, in: database),
        carriedSteps: try Earnings.carriedSteps(of: account, in: database), stepsPerCoin: formula.stepsPerCoin)
    }

    serve(ListTransfers.self) { input, call, database in
      try Ledger.history(of: try call.account, before: try TransferID.cursor(input.cursor), limit: input.most, in: database)
    }
  }
}

extension PageInput {
  /// How many at most.
  var most: Int { limit ?? 50 }
}

extension ID {
  /// The id that a list's cursor stands for; nil for the first page.
  static func cursor(_ text: String?) throws(Failure) -> ID? {
    guard let text else { return nil }
    do {
      return try ID(text: text)
    } catch {
      throw Failure(RequestFailure.invalidCursor)
    }
  }
}
