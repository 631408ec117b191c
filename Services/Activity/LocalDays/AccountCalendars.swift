import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage
import Synchronization

/// How each account counts its days, from the read model of accounts.
///
/// What is written for a day keeps that day: a later change of time zone or of the hour at which days start moves nothing.
final class AccountCalendars: Sendable {
  /// How many accounts are remembered to be in the read model; when it is full all are forgotten and looked for again.
  static let maxKnown = 100_000

  let zones = TimeZones()
  private let known = Mutex<Set<AccountID>>([])

  /// Sees to it that the read model holds the caller's account before its request is handled: someone who has just registered
  /// may be faster than the event that tells of it.
  @Sendable
  func prepare(_ input: some Document, _ call: Call) async throws {
    let account = try call.account
    if known.withLock({ $0.contains(account) }) { return }
    guard try await Accounts.resolve(account, call) != nil else { throw Failure(RequestFailure.unauthenticated) }
    known.withLock { known in
      if known.count == AccountCalendars.maxKnown { known.removeAll(keepingCapacity: true) }
      known.insert(account)
    }
  }

  /// The account's calendar as it stands now.
  func calendar(of account: AccountID, in database: Database) throws -> LocalCalendar {
    guard let rule = try Accounts.dayRule(of: account, in: database) else { throw Failure(RequestFailure.unauthenticated) }
    return LocalCalendar(zones.offsets(rule.timeZone), dayStartHour: rule.dayStartHour)
  }

  /// The account's present local day.
  func today(of account: AccountID, _ transaction: Transaction) throws -> LocalDay {
    try calendar(of: account, in: transaction.database).day(of: transaction.now)
  }

  /// The local day of an instant, for what others tell of an account: UTC's where its own event has not arrived yet.
  func day(of instant: Instant, _ account: AccountID, in database: Database) throws -> LocalDay {
    try calendarOrUTC(of: account, in: database).day(of: instant)
  }

  /// The account's calendar, or UTC's where its own event has not arrived yet.
  func calendarOrUTC(of account: AccountID, in database: Database) throws -> LocalCalendar {
    let rule = try Accounts.dayRule(of: account, in: database)
    return LocalCalendar(zones.offsets(rule?.timeZone ?? "UTC"), dayStartHour: rule?.dayStartHour ?? 0)
  }
}
