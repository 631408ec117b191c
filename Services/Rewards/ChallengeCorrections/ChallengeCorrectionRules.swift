import Operations
import RewardsContract

/// The rules for which levels a correction affects, and what a grant pays.
enum ChallengeCorrectionRules {
  /// Returns the level of a tier.
  ///
  /// - Throws: the rule that `tier` breaks where it is missing for an achievement, or given for a challenge.
  static func level(_ tier: ChallengeTier?, of challenge: KnownChallenge) throws(FieldRule) -> Int {
    guard challenge.terms.tiers != nil else {
      guard tier == nil else { throw FieldRule("challenge_without_tiers") }
      return 1
    }
    guard let index = tier.flatMap({ ChallengeTier.allCases.firstIndex(of: $0) }) else { throw FieldRule("required") }
    return index + 1
  }

  /// What a granted completion pays: for one that was revoked, the coins that were taken then; otherwise those not paid yet. So no coin is
  /// paid twice.
  ///
  /// - Parameters:
  ///   - before: the completion as it was; nil where there never was one.
  ///   - taken: what the last revocation took.
  static func due(_ challenge: KnownChallenge, _ before: ChallengeCompletion?, taken: Int) -> Int {
    before?.correction == .revoked ? taken : max(0, (challenge.terms.coins ?? 0) - (before?.coins ?? 0))
  }
}
