public import GRDB
public import Operations
public import Storage

/// How each account counts its days, from the read model of accounts.
///
/// Data written for a day keeps that day, even if the time zone or the hour at which days start changes later.
public struct AccountCalendars: Sendable {
  /// The time zones in use.
  public let zones = TimeZones()

  public init() {}

  /// The account's present calendar.
  public func calendar(of account: AccountID, in database: Database) throws -> LocalCalendar {
    guard let rule = try Accounts.dayRule(of: account, in: database) else { throw Failure(RequestFailure.unauthenticated) }
    return LocalCalendar(zones.offsets(rule.timeZone), dayStartHour: rule.dayStartHour)
  }

  /// The account's present local day.
  public func today(of account: AccountID, _ transaction: Transaction) throws -> LocalDay {
    try calendar(of: account, in: transaction.database).day(of: transaction.now)
  }

  /// The local day of an instant, for what others publish about an account; in UTC if the account's own event has not arrived yet.
  public func day(of instant: Instant, _ account: AccountID, in database: Database) throws -> LocalDay {
    try calendarOrUTC(of: account, in: database).day(of: instant)
  }

  /// The account's calendar; UTC's if the account's own event has not arrived yet.
  public func calendarOrUTC(of account: AccountID, in database: Database) throws -> LocalCalendar {
    let rule = try Accounts.dayRule(of: account, in: database)
    return LocalCalendar(zones.offsets(rule?.timeZone ?? "UTC"), dayStartHour: rule?.dayStartHour ?? 0)
  }
}
