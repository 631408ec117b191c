import Operations
import ServiceKit

/// Which months are over, and of which the ranks stand, for all accounts wherever they are.
///
/// Of a month that is over, whoever vanishes stays counted, and of one whose ranks stand whoever comes is not: the others keep their
/// ranks. Corrections in time move ranks until they stand.
struct LeaderboardMonths: Hashable {
  /// When a day has ended everywhere, in milliseconds after its end in UTC: twelve hours west of it, with a day that starts at six.
  static let lastEnd: Int64 = 18 * 3_600_000

  /// The first month that is not over everywhere.
  let firstRunning: Int
  /// The first month of which steps may still come to earn, or be corrected, somewhere.
  let firstMoving: Int

  init(at now: Instant, earningDays: Int) {
    let ended = LocalCalendar.day(now.milliseconds - LeaderboardMonths.lastEnd)
    firstRunning = LeaderboardRules.month(of: ended)
    firstMoving = LeaderboardRules.month(of: ended.advanced(by: 1 - earningDays))
  }

  /// Whether the others keep their ranks when somebody vanishes.
  func isOver(_ period: Int) -> Bool { period != LeaderboardRules.allTime && period < firstRunning }

  /// Whether the others keep their ranks when somebody comes.
  func stands(_ period: Int) -> Bool { period != LeaderboardRules.allTime && period < firstMoving }
}
