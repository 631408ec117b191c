import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit

extension ServiceDefinition {
  /// Serves the looking back on entries.
  mutating func serveHistory(_ calendars: AccountCalendars) {
    @Sendable func prepare(_ input: HistoryQuery, _ call: Call) async throws {
      try await calendars.prepare(input, call)
      if input.latitude != nil { try await Accounts.catchUp(on: .location, call) }
    }
    serve(ListHistory.self, prepare: prepare) { input, _, call, database in
      try History(input, needsPlace: false, call, calendars).page(database) { $0 }
    }
    serve(ListHistoryPoints.self, prepare: prepare) { input, _, call, database in
      try History(input, needsPlace: true, call, calendars).page(database) { HistoryPoint($0) }
    }
  }
}

/// One page of a history.
private struct History {
  let account: AccountID
  let scope: HistoryScope
  let search: HistorySearch
  let page: PageRequest
  let usesPlace: Bool
  let calendars: AccountCalendars
  let now: Instant

  init(_ input: HistoryQuery, needsPlace: Bool, _ call: Call, _ calendars: AccountCalendars) throws(Failure) {
    account = try call.account
    scope = input.whose ?? .mine
    search = try HistorySearch(input, needsPlace: needsPlace)
    page = try call.page(input)
    usesPlace = input.latitude != nil
    self.calendars = calendars
    now = call.now
  }

  func page<Item>(_ database: Database, _ item: (HistoryItem) -> Item?) throws -> Page<Item> {
    // What is near somebody tells where they are.
    if usesPlace { try Accounts.requireConsent(.location, of: account, in: database) }
    let start = try page.place(HistoryPosition.init(text:))
    var stretch = HistoryStretch()
    if scope != .followed {
      stretch = try OwnHistory.stretch(of: account, search, behind: start, limit: page.fetchLimit, in: database)
    }
    if scope != .mine {
      stretch = stretch.merged(
        with: try FollowedHistory.stretch(of: account, search, behind: start, limit: page.fetchLimit, in: database))
    }
    let shown = stretch.prefix(page.limit)
    var items = try HistoryItems(calendars, now: now, in: database)
    return page.page(try shown.positions.compactMap { try items.item(at: $0).flatMap(item) }, goingOnBehind: shown.end)
  }
}
