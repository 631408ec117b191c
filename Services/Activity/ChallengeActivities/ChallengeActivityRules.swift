import ActivityContract
import Operations

/// From when on a challenged account has the activity (SOC-6).
enum ChallengeActivityRules {
  /// The first day of the accepter's own activity: its today, or the first day of the challenge where that is to come.
  ///
  /// - Throws: ``ChallengeActivityFailure/over`` where no day is left.
  static func startDay(
    of activity: ChallengeActivity, today: LocalDay
  ) throws(ChallengeActivityFailure) -> LocalDay {
    let start = max(activity.startDay, today)
    if let end = activity.endDay, end < start { throw .over }
    return start
  }
}
