import NotificationsContract
import Operations
import RewardsContract
import ServiceKit

/// When an account that has switched it on gets its daily check, and what it reports (NOT-5).
enum DailyCheckRules {
  /// The hour of the check in the account's time zone: most of a day's steps are made by then.
  static let hour = 18
  /// The maximum number of offers that one check reports.
  static let maxOffers = 5
  /// How long one waits for rewards.
  static let retrySeconds = 300
  /// Keeps an account for which it is too early from being checked again at once.
  private static let minWaitSeconds = 60

  /// What is done about an account.
  enum Step: Hashable, Sendable {
    /// It is checked for that day, and again at `next`.
    case check(on: LocalDay, next: Instant)
    case wait(until: Instant)
  }

  /// Whether an account takes part: it has switched on one of the kinds, by any channel.
  static func takesPart(_ choices: PreferenceChoices) -> Bool {
    NotificationSpec.ofDailyChecks.contains { kind in kind.channels.contains { choices.state(of: kind, $0) == .on } }
  }

  /// What is done about an account now: it is checked once a day, from the hour on, and not while it is suspended.
  ///
  /// - Parameter lastDay: the account's day of the last check; nil for none.
  static func step(lastDay: LocalDay?, isSuspended: Bool, at now: Instant, _ calendar: LocalCalendar) -> Step {
    let today = calendar.day(of: now)
    let day = max(today, lastDay?.advanced(by: 1) ?? today)
    let (due, next) = (time(on: day, calendar), time(on: day.advanced(by: 1), calendar))
    if day == today, due <= now, !isSuspended { return .check(on: day, next: next) }
    return .wait(until: max(due <= now ? next : due, now.adding(seconds: minWaitSeconds)))
  }

  /// When an account is checked on a day.
  static func time(on day: LocalDay, _ calendar: LocalCalendar) -> Instant { calendar.instant(hour: hour, on: day) }

  /// The lost rank: in the same month, and lower than at the previous check; nil where none was lost.
  static func lost(_ before: FriendRank?, _ now: FriendRank) -> (from: Int, to: Int)? {
    guard let before, before.month == now.month, let from = before.rank, let to = now.rank, to > from else { return nil }
    return (from, to)
  }
}
