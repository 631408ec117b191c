import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Reads from the accounts who is eligible.
enum EligibilityStore {
  /// Returns the eligibility of an account.
  static func find(_ account: AccountID, at now: Instant, in database: Database) throws -> Eligibility {
    if try database.isErased(account) { return Eligibility(isKnown: false, isErased: true) }
    return try database.first(reading, .id(account), .instant(now)) {
      Eligibility(isSuspended: $0.truth(0), lacksConsent: !$0.truth(1))
    } ?? Eligibility(isKnown: false)
  }

  private static let reading = """
    SELECT NOT \(Accounts.isShown("accounts", at: "?2")), \(Accounts.hasConsent(.activityData, "accounts"))
    FROM accounts WHERE account_id = ?1
    """
}
