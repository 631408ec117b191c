import ActivityContract
import GRDB
import Operations
import ServiceKit

/// The dashboard.
struct DashboardHandlers: Sendable {
  let calendars: AccountCalendars

  func get(_ input: GetDashboard.Input, _ call: AccountCall, _ database: Database) throws -> Dashboard {
    let account = call.account
    let today = try calendars.calendar(of: account, in: database).day(of: call.now)
    let first = DashboardRules.firstDay(today: today)
    let coins = try DashboardCoinStore.read(of: account, from: first, to: today, in: database)
    let rule = DashboardRules(
      today: today, days: try MovementDayStore.list(of: account, from: first, to: today, in: database), coins: coins.days)
    let past = try MovementMonthStore.sum(of: account, before: MovementMonthStore.month(of: today), in: database)
    return Dashboard(
      today: rule.day(), week: rule.week(), month: rule.month(), allTime: rule.allTime(past, coins: coins.ever),
      goals: try StepGoalStore.list(of: account, today: today, in: database), history: rule.history())
  }
}
