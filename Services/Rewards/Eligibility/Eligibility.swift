import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Whether an account takes part in what is made of movement, as far as is known here: the one place where coins, leaderboards and challenges
/// ask (ID-13, SOC-8).
struct Eligibility: Hashable, Sendable {
  /// Whether its state has arrived from identity.
  var isKnown = true
  /// Whether it was erased, or is being erased.
  var isErased = false
  /// Whether it is suspended now, or banned.
  var isSuspended = false
  /// Whether it is known not to consent that its movement is kept, counted and turned into coins. One of which nothing has arrived from
  /// identity is not: activity takes no movement without the consent.
  var lacksConsent = false

  /// Whether its movement counts. That of a suspended account does, since activity goes on taking it.
  var counts: Bool { !isErased && !lacksConsent }

  /// Whether others are shown that it takes part.
  var isShown: Bool { counts && !isSuspended }

  /// How it stands with an account.
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
