import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// What came and went of accounts' coins in a week, as notifications asks for its summaries (NOT-3).
struct CoinWeekFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ReadCoinWeeks.self, read: CoinWeekHandlers.read)
  }
}

/// Weeks: read.
enum CoinWeekHandlers {
  static func read(_ input: ReadCoinWeeks.Input, _ call: OpenCall, _ database: Database) throws -> ReadCoinWeeks.Output {
    .init(
      weeks: try input.times.map { time in
        let (earned, spent) = try LedgerStore.sums(of: time.accountID, from: time.from, until: time.until, in: database)
        let balance = try LedgerStore.balance(of: time.accountID, at: call.now, in: database).coins
        return CoinWeek(accountID: time.accountID, earned: earned, spent: spent, balance: balance)
      })
  }
}

extension LedgerStore {
  /// What a person earned and spent in a time, less what was taken back and refunded. It is read backwards and no further than that time.
  static func sums(
    of account: AccountID, from: Instant, until: Instant, in database: Database
  ) throws -> (earned: Int, spent: Int) {
    guard let person = try find(account, in: database)?.id else { return (0, 0) }
    var (earned, spent) = (0, 0)
    for (column, sign) in [("credit_id", 1), ("debit_id", -1)] {
      try database.each(
        "SELECT kind, coins, at FROM transfers WHERE \(column) = ? ORDER BY number DESC", .integer(person.value)
      ) { row in
        let at = row.instant(2)
        if at < from { return false }
        guard at < until else { return true }
        switch Transfer.Kind(rawValue: row.text(0)) {
        case .earned, .corrected, .challengeReward, .challengeRewardTakenBack: earned += sign * row.number(1)
        case .redeemed, .refunded: spent -= sign * row.number(1)
        case .adjusted, .expired, nil: break
        }
        return true
      }
    }
    return (earned, spent)
  }
}
