public import GRDB
public import Operations
public import Storage

/// How each account counts its days, from the read model of accounts.
///
/// What is written for a day keeps that day: a later change of time zone or of the hour at which days start moves nothing.
public struct AccountCalendars: Sendable {
  /// Those in use.
  public let zones = TimeZones()

  public init() {}

  /// The account's calendar as it stands now.
  public func calendar(of account: AccountID, in database: Database) throws -> LocalCalendar {
    guard let rule = try Accounts.dayRule(of: account, in: database) else { throw Failure(RequestFailure.unauthenticated) }
    return LocalCalendar(zones.offsets(rule.timeZone), dayStartHour: rule.dayStartHour)
  }

  /// The account's present local day.
  public func today(of account: AccountID, _ transaction: Transaction) throws -> LocalDay {
    try calendar(of: account, in: transaction.database).day(of: transaction.now)
  }

  /// The local day of an instant, for what others publish of an account: UTC's where its own event has not arrived yet.
  public func day(of instant: Instant, _ account: AccountID, in database: Database) throws -> LocalDay {
    try calendarOrUTC(of: account, in: database).day(of: instant)
  }

  /// The account's calendar, or UTC's where its own event has not arrived yet.
  public func calendarOrUTC(of account: AccountID, in database: Database) throws -> LocalCalendar {
    let rule = try Accounts.dayRule(of: account, in: database)
    return LocalCalendar(zones.offsets(rule?.timeZone ?? "UTC"), dayStartHour: rule?.dayStartHour ?? 0)
  }
}
