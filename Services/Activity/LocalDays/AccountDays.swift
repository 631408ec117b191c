import GRDB
import Operations
import ServiceKit

/// How an account counts its days at a given time: what the evaluation of a day needs besides its plan and entries.
struct AccountDays: Sendable {
  let account: AccountID
  /// The account's present local day.
  let today: LocalDay
  /// The days that the account lost (``LostDayStore``).
  let lost: Set<LocalDay>

  init(of account: AccountID, _ calendar: LocalCalendar, now: Instant, in database: Database) throws {
    self.account = account
    today = calendar.day(of: now)
    lost = try LostDayStore.find(account, calendar, in: database)
  }
}

extension AccountCalendars {
  /// Returns how the account counts its days now.
  func days(of account: AccountID, now: Instant, in database: Database) throws -> AccountDays {
    try AccountDays(of: account, try calendar(of: account, in: database), now: now, in: database)
  }
}

/// How each of several accounts counts its days; looked up once per account.
struct KnownDays {
  private let calendars: AccountCalendars
  private let now: Instant
  private var known: [AccountID: AccountDays] = [:]

  init(_ calendars: AccountCalendars, now: Instant) {
    self.calendars = calendars
    self.now = now
  }

  mutating func days(of account: AccountID, in database: Database) throws -> AccountDays {
    if let days = known[account] { return days }
    let days = try calendars.days(of: account, now: now, in: database)
    known[account] = days
    return days
  }
}
