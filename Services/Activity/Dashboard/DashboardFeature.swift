import ActivityContract
import IdentityContract
import RewardsContract
import ServiceKit
import Storage

/// The dashboard: movement and coins of today, this week, this month, and all time.
struct DashboardFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [DashboardCoinStore.migration(18)]
  let tables: [ErasedTable] = [
    .rows("dashboard_transfers", "account_id = :account", .coins),
    .rows("dashboard_coins", "account_id = :account", .coins),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(GetDashboard.self, read: DashboardHandlers(calendars: calendars).get)
    let subscriptions = DashboardSubscriptions(calendars: calendars)
    service.subscribe(to: CoinsEarned.self, subscriptions.coinsEarned)
    service.subscribe(to: CoinsCorrected.self, subscriptions.coinsCorrected)
  }
}
