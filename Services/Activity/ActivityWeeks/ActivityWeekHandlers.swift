import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Weeks: read.
struct ActivityWeekHandlers: Sendable {
  let calendars: AccountCalendars

  func get(_ input: GetActivityWeeks.Input, _ call: OpenCall, _ database: Database) throws -> GetActivityWeeks.Output {
    .init(weeks: try input.weeks.map { try week($0, database) })
  }

  func week(_ week: WeekOfAccount, _ database: Database) throws -> ActivityWeek {
    let account = week.accountID
    let days = week.firstDay...week.firstDay.advanced(by: 6)
    let isKnown = try !database.isErased(account)
    let movement =
      isKnown ? try MovementDayStore.list(of: account, from: days.lowerBound, to: days.upperBound, in: database) : []
    let (kept, broken) = isKnown ? try streaks(of: account, in: days, database) : ([], [])
    return ActivityWeek(
      accountID: account, steps: movement.reduce(0) { $0 + $1.steps }, walkedDays: movement.count { $0.steps > 0 },
      doneEntries: isKnown ? try EntryStore.doneCount(of: account, in: days, database) : 0,
      keptStreaks: Array(kept.sorted { $0.current > $1.current }.prefix(ActivityWeek.maxStreaks)), keptStreakCount: kept.count,
      brokenStreaks: Array(broken.prefix(ActivityWeek.maxStreaks)), brokenStreakCount: broken.count)
  }

  private func streaks(
    of account: AccountID, in days: ClosedRange<LocalDay>, _ database: Database
  ) throws -> (kept: [KeptStreak], broken: [String]) {
    let candidates = try StreakStore.candidates(of: account, in: days, database)
    guard !candidates.isEmpty else { return ([], []) }
    let calendar = try calendars.calendarOrUTC(of: account, in: database)
    let lost = try LostDayStore.find(account, calendar, in: database)
    var (kept, broken): ([KeptStreak], [String]) = ([], [])
    for (activity, title) in candidates {
      let plan = try PlanStore.find(activity, lostDays: lost, in: database)
      let progress = try EntryStore.progress(of: activity, to: days.upperBound, in: database)
      let week = StreakRules.week(days, plan, progress)
      if week.isBroken {
        broken.append(title)
      } else if week.streak.current > 0 {
        kept.append(KeptStreak(title: title, current: week.streak.current, unit: week.streak.unit))
      }
    }
    return (kept, broken)
  }
}
