import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// What an account's state means for its challenges (ID-12, ID-13, SOC-8).
///
/// While an account is suspended or unknown, nothing is awarded; it is awarded afterwards. Without consent to activity data nothing is
/// awarded for movement: activity records none, so progress stays as it was and continues with a new consent.
enum ChallengeStanding {
  /// The awards withheld from an account in this state.
  static func withheld(_ eligibility: Eligibility) -> HeldAwards {
    guard eligibility.isKnown, !eligibility.isErased, !eligibility.isSuspended else { return .all }
    return eligibility.lacksConsent ? .movement : .nothing
  }

  /// Whether others may see anything of an account.
  static func isShown(_ account: AccountID, at now: Instant, in database: Database) throws -> Bool {
    let eligibility = try EligibilityStore.find(account, at: now, in: database)
    return !eligibility.isErased && !eligibility.isSuspended
  }
}
