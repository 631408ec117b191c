import Operations
import RewardsContract

/// Which levels a correction is about, and what is paid for one that is granted.
enum ChallengeCorrectionRules {
  /// The level of a tier.
  ///
  /// - Throws: what is wrong with `tier` where an achievement's is not named, or a challenge's is.
  static func level(_ tier: ChallengeTier?, of challenge: KnownChallenge) throws(FieldRule) -> Int {
    guard challenge.terms.tiers != nil else {
      guard tier == nil else { throw FieldRule("challenge_without_tiers") }
      return 1
    }
    guard let index = tier.flatMap({ ChallengeTier.allCases.firstIndex(of: $0) }) else { throw FieldRule("required") }
    return index + 1
  }

  /// What is paid for a completion that is granted: of one that was revoked what was taken then, else what is not paid yet. So no coin comes
  /// twice.
  ///
  /// - Parameters:
  ///   - before: the completion as it was; nil where there never was one.
  ///   - taken: what the last revocation took.
  static func due(_ challenge: KnownChallenge, _ before: ChallengeCompletion?, taken: Int) -> Int {
    before?.correction == .revoked ? taken : max(0, (challenge.terms.coins ?? 0) - (before?.coins ?? 0))
  }
}
