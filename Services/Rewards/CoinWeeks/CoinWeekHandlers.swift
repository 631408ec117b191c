import GRDB
import Operations
import RewardsContract
import ServiceKit

/// Weeks: read.
enum CoinWeekHandlers {
  static func get(_ input: GetCoinWeeks.Input, _ call: OpenCall, _ database: Database) throws -> GetCoinWeeks.Output {
    .init(
      weeks: try input.times.map { time in
        let (earned, spent) = try LedgerStore.sums(of: time.accountID, from: time.from, until: time.until, in: database)
        let balance = try LedgerStore.balance(of: time.accountID, at: call.now, in: database).coins
        return CoinWeek(accountID: time.accountID, earned: earned, spent: spent, balance: balance)
      })
  }
}
