import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Whether an account takes part in what is derived from movement, as far as this service knows: the single rule for coins, leaderboards
/// and challenges (ID-13, SOC-8).
struct Eligibility: Hashable, Sendable {
  /// Whether the account's state has arrived from identity.
  var isKnown = true
  /// Whether the account was erased, or is being erased.
  var isErased = false
  /// Whether the account is suspended now, or banned.
  var isSuspended = false
  /// Whether the account is known not to consent that its movement is kept, counted and turned into coins. False for an unknown account:
  /// activity records no movement without consent.
  var lacksConsent = false

  /// Whether the account's movement counts. Movement of a suspended account does, since activity still records it.
  var counts: Bool { !isErased && !lacksConsent }

  /// Whether others see that the account takes part.
  var isShown: Bool { counts && !isSuspended }

  /// Returns the eligibility of an account.
  static func of(_ account: AccountID, at now: Instant, in database: Database) throws -> Eligibility {
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
