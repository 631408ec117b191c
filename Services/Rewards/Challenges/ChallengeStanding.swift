import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// What an account's state means for its challenges (ID-12, ID-13, SOC-8).
///
/// Nothing is awarded to who is suspended or not known yet; it is once that is over. Without consent to activity data nothing is awarded for
/// movement: activity takes none in, so progress stays as it was, and goes on with a new consent.
enum ChallengeStanding {
  /// What an account that stands so is not awarded for now.
  static func withheld(_ eligibility: Eligibility) -> HeldAwards {
    guard eligibility.isKnown, !eligibility.isErased, !eligibility.isSuspended else { return .all }
    return eligibility.lacksConsent ? .movement : .nothing
  }

  /// Whether others may be shown anything of an account.
  static func isShown(_ account: AccountID, at now: Instant, in database: Database) throws -> Bool {
    let eligibility = try Eligibility.of(account, at: now, in: database)
    return !eligibility.isErased && !eligibility.isSuspended
  }
}
