import GRDB
import Operations
import RewardsContract
import ServiceKit

/// The balance and the history of coins.
struct CoinHandlers: Sendable {
  let formula: CoinFormula

  @Sendable
  func balance(_ input: GetBalance.Input, _ call: AccountCall, _ database: Database) throws -> Balance {
    let (coins, nextExpiry) = try LedgerStore.balance(of: call.account, at: call.now, in: database)
    return Balance(
      coins: coins, carriedSteps: try CoinStore.carriedSteps(of: call.account, in: database), stepsPerCoin: formula.stepsPerCoin,
      nextExpiry: nextExpiry)
  }

  @Sendable
  func transfers(_ input: ListTransfers.Input, _ call: AccountCall, _ database: Database) throws -> Page<Transfer> {
    try LedgerStore.history(of: call.account, call.page(input), call.language, in: database)
  }
}
