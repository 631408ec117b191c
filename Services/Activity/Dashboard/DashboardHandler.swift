import ActivityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the dashboard, and hears of the coins on it.
  mutating func serveDashboard(_ calendars: AccountCalendars) {
    serve(GetDashboard.self, prepare: calendars.prepare) { _, _, call, database in
      let account = try call.account
      let today = try calendars.calendar(of: account, in: database).day(of: call.now)
      let first = DashboardRule.firstDay(today: today)
      let coins = try DashboardCoins.read(of: account, from: first, to: today, in: database)
      let rule = DashboardRule(
        today: today, days: try MovementDays.list(of: account, from: first, to: today, in: database), coins: coins.days)
      let past = try MovementMonths.sum(of: account, before: MovementMonths.month(of: today), in: database)
      return Dashboard(
        today: rule.day(), week: rule.week(), month: rule.month(), allTime: rule.allTime(past, coins: coins.ever),
        goals: try StepGoals.list(of: account, today: today, in: database), history: rule.history())
    }

    subscribe(to: CoinsEarned.self) { event, _, transaction in
      let day = try calendars.day(of: event.at, event.accountID, in: transaction.database)
      try DashboardCoins.count(event.coins, event.transferID, on: day, of: event.accountID, transaction)
    }

    subscribe(to: CoinsCorrected.self) { event, _, transaction in
      let day = try calendars.day(of: event.at, event.accountID, in: transaction.database)
      try DashboardCoins.count(-event.coins, event.transferID, on: day, of: event.accountID, transaction)
    }
  }
}
