import Operations
import RewardsContract
import ServiceKit
import Storage

/// The coins on the dashboard, from rewards.
struct DashboardSubscriptions: Sendable {
  let calendars: AccountCalendars

  func coinsEarned(_ event: CoinsEarned, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let day = try calendars.day(of: event.at, event.accountID, in: transaction.database)
    try DashboardCoinStore.count(event.coins, event.transferID, on: day, of: event.accountID, transaction)
  }

  func coinsCorrected(_ event: CoinsCorrected, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let day = try calendars.day(of: event.at, event.accountID, in: transaction.database)
    try DashboardCoinStore.count(-event.coins, event.transferID, on: day, of: event.accountID, transaction)
  }
}
