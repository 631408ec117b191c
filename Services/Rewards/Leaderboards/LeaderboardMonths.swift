import Operations
import ServiceKit

/// Which months are over, and which have final ranks, in all time zones.
///
/// In a month that is over, an account that disappears stays counted; in a month with final ranks, an account that appears is not counted:
/// the others keep their ranks. Corrections in time change ranks until they are final.
struct LeaderboardMonths: Hashable {
  /// When a day has ended everywhere, in milliseconds after its end in UTC: in a zone twelve hours west, with a day that starts at six.
  static let lastEnd: Int64 = 18 * 3_600_000

  /// The first month that is not over everywhere.
  let firstRunning: Int
  /// The first month in which steps may still earn, or be corrected, in some time zone.
  let firstMoving: Int

  init(at now: Instant, earningDays: Int) {
    let ended = LocalCalendar.day(now.milliseconds - LeaderboardMonths.lastEnd)
    firstRunning = LeaderboardRules.month(of: ended)
    firstMoving = LeaderboardRules.month(of: ended.advanced(by: 1 - earningDays))
  }

  /// Whether the others keep their ranks when an account disappears.
  func isOver(_ period: Int) -> Bool { period != LeaderboardRules.allTime && period < firstRunning }

  /// Whether the others keep their ranks when an account appears.
  func stands(_ period: Int) -> Bool { period != LeaderboardRules.allTime && period < firstMoving }
}
