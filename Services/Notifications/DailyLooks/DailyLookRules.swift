import Operations
import RewardsContract
import ServiceKit

/// When and of what accounts are told that ask for a daily look (NOT-5).
enum DailyLookRules {
  /// The hour of the look in the account's time zone: most of a day's steps are made by then.
  static let hour = 18
  /// Of how many offers one look tells at most.
  static let maxOffers = 5
  /// How long one waits for rewards.
  static let retrySeconds = 300

  /// When an account is looked at on a day.
  static func time(on day: LocalDay, _ calendar: LocalCalendar) -> Instant {
    let local = Int64(day.daysSinceEpoch) * LocalCalendar.dayLength + Int64(hour) * 3_600_000
    return Instant(milliseconds: local - calendar.offsets.span(at: local).offset)
  }

  /// The lost rank: in the same month, and lower than at the previous look; nil where none was lost.
  static func lost(_ before: FriendRank?, _ now: FriendRank) -> (from: Int, to: Int)? {
    guard let before, before.month == now.month, let from = before.rank, let to = now.rank, to > from else { return nil }
    return (from, to)
  }
}
