import ActivityContract
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves feeds and the links to them.
  mutating func serveCalendarFeeds(_ calendars: AccountCalendars) {
    let words = Words(Contract.activity.words)

    serve(CreateCalendarFeed.self, prepare: calendars.prepare) { _, _, call, transaction in
      try EndedSessions.expectLive(call.session, in: transaction.database)
      return try CalendarFeeds.create(of: call.account, by: call.session, transaction)
    }
    subscribe(to: SessionRevoked.self) { session, _, transaction in
      try EndedSessions.note(session, transaction)
      try CalendarFeeds.end(madeBy: session, transaction)
    }
    subscribe(to: AccessWithdrawn.self) { access, _, transaction in try CalendarFeeds.end(withdrawn: access, transaction) }

    serve(GetCalendarFeed.self) { _, call, database in
      CalendarFeedState(createdAt: try CalendarFeeds.createdAt(of: call.account, in: database))
    }

    serve(RevokeCalendarFeed.self) { _, call, transaction in
      try CalendarFeeds.revoke(of: call.account, transaction)
      return Empty()
    }

    serve(ReadCalendarFeed.self) { input, call in
      let (account, today, events) = try await call.read { database in
        let account = try CalendarFeeds.account(input.key, in: database)
        let today = calendars.today(account, call.now)
        return (account, today, try CalendarFeeds.events(of: account.id, today: today, in: database))
      }
      // Written here: others wait for the store.
      let name = words.text("calendar.name", account.language) ?? "Racha"
      return CalendarFeed(zone: calendars.zone(account), events: events).file(named: name, today: today)
    }
  }
}

extension AccountCalendars {
  /// How the account's feed is written.
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
