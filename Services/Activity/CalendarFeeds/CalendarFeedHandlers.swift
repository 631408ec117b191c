import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Creates, shows and revokes the secret links to feeds, and serves the feeds to their holders.
struct CalendarFeedHandlers: Sendable {
  let calendars: AccountCalendars
  private let words = Words(Contract.activity.words)

  init(calendars: AccountCalendars) { self.calendars = calendars }

  func createLink(
    _ input: CreateCalendarFeedLink.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> CreateCalendarFeedLink.Output {
    try EndedSessionStore.expectLive(call.session, in: transaction.database)
    return try CalendarFeedStore.create(of: call.account, by: call.session, transaction)
  }

  func getLink(_ input: GetCalendarFeedLink.Input, _ call: AccountCall, _ database: Database) throws -> CalendarFeedState {
    CalendarFeedState(createdAt: try CalendarFeedStore.createdAt(of: call.account, in: database))
  }

  func revokeLink(_ input: RevokeCalendarFeedLink.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try CalendarFeedStore.revoke(of: call.account, transaction)
    return Empty()
  }

  func get(_ input: GetCalendarFeed.Input, _ call: OpenCall) async throws -> GetCalendarFeed.Output {
    let (account, today, events) = try await call.read { database in
      let account = try CalendarFeedStore.account(input.key, in: database)
      let today = calendars.today(account, call.now)
      return (account, today, try CalendarFeedStore.events(of: account.id, today: today, in: database))
    }
    // Built here, outside the store's queue, so that other readers do not wait for it.
    let name = words.text("calendar.name", account.language) ?? "Racha"
    return CalendarFeed(zone: calendars.zone(account), events: events).file(named: name, today: today)
  }
}

extension AccountCalendars {
  /// The account's zone, name and start of the day as the feed needs them.
  fileprivate func zone(_ account: Accounts.Known) -> FeedZone {
    FeedZone(
      name: account.timeZone.description, offsets: zones.offsets(account.timeZone.description), dayStartHour: account.dayStartHour
    )
  }

  /// The account's present local day.
  fileprivate func today(_ account: Accounts.Known, _ now: Instant) -> LocalDay {
    LocalCalendar(zones.offsets(account.timeZone.description), dayStartHour: account.dayStartHour).day(of: now)
  }
}
