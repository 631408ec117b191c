import ActivityContract
import NotificationsContract
import Operations

/// Step goals, days without movement, and what became of a week (NOT-3).
extension NotificationSpec {
  static let ofGoals: [NotificationSpec] = [stepGoalNear, stepGoalReached, inactivityDetected, weeklySummary]

  /// Of each period an inbox has the last one alone, until the goal is reached or cleared.
  private static let stepGoalNear = NotificationSpec(
    "stepGoalNear", .goals, on: StepGoalProgressed.self, when: { !$0.isReached && $0.isOver != true }, about: { $0.accountID },
    to: { $0.accountID },
    inbox: .init(
      source: { "\($0.accountID)/near/\($0.period)/\($0.firstDay)" },
      // What comes late of a day or week that is over leaves the reminder of the present one.
      replacing: { "\($0.accountID)/near/\($0.period)\($0.isOver == true ? "/\($0.firstDay)" : "")" },
      values: [
        .text("period") { $0.period.rawValue }, .number("goal") { $0.goal }, .number("missing") { max(0, $0.goal - $0.steps) },
      ]), until: { .day($0.period.lastDay(from: $0.firstDay)) })

  /// Also of a day or week that is over, where its steps came late.
  private static let stepGoalReached = NotificationSpec(
    "stepGoalReached", .goals, on: StepGoalProgressed.self, when: { $0.isReached }, about: { $0.accountID },
    to: { $0.accountID },
    inbox: .init(
      source: { "\($0.accountID)/reached/\($0.period)/\($0.firstDay)" },
      values: [
        .text("when") { $0.isOver == true ? "past.\($0.period)" : $0.period.rawValue }, .number("goal") { $0.goal },
        .text("day") { $0.firstDay.description },
      ]), until: { $0.isOver == true ? nil : .day($0.period.lastDay(from: $0.firstDay)) })

  private static let inactivityDetected = NotificationSpec(
    "inactivityDetected", .goals, on: InactivityDetected.self, about: { $0.noticeID }, to: { $0.accountID },
    inbox: .init(values: [.number("days") { $0.days }]))

  /// Written by the service itself; by mail for those alone who choose so.
  static let weeklySummary = NotificationSpec(
    "weeklySummary", .goals, values: WeeklySummary.values, mail: MailSpec(from: .weeklySummary, actions: [.button]),
    delivery: DeliverySpec(defaults: [.inbox, .push], urgency: .low)
  ).saying("summary")
}

extension GoalPeriod {
  /// Its last day.
  fileprivate func lastDay(from first: LocalDay) -> LocalDay {
    switch self {
    case .day: first
    case .week: first.advanced(by: 6)
    }
  }
}
