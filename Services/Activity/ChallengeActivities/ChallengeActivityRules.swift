import ActivityContract
import Operations

/// The rules for when a challenge's activity starts for the account that accepts (SOC-6).
enum ChallengeActivityRules {
  /// Returns the first day of the accepting account's activity: its present day, or the first day of the challenge where that is later.
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
