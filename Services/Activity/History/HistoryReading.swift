import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit

/// One page of a history.
struct HistoryReading {
  let account: AccountID
  let scope: HistoryScope
  let search: HistorySearch
  let page: PageRequest
  let usesPlace: Bool
  let calendars: AccountCalendars
  let now: Instant

  init(_ input: HistoryQuery, needsPlace: Bool, _ call: AccountCall, _ calendars: AccountCalendars) throws {
    account = call.account
    scope = input.scope ?? .mine
    var findings = FieldFindings()
    let search = try findings.gather { try HistorySearch(input, needsPlace: needsPlace) }
    let page = try findings.gather { try call.page(input) }
    try findings.end()
    guard let search, let page else { throw Failure(RequestFailure.invalidFields) }
    self.search = search
    self.page = page
    usesPlace = input.latitude != nil
    self.calendars = calendars
    now = call.now
  }

  func page<Item>(_ database: Database, _ item: (HistoryItem) -> Item?) throws -> Page<Item> {
    // Results near a person reveal where they are. The point itself is not stored; the account's own map shows what was stored with
    // consent.
    if usesPlace { try Accounts.requireConsent(.location, of: account, in: database) }
    let start = try page.cursor(HistoryPosition.init(text:))
    let stretch = try HistoryStretch.find(
      scope, of: account, search, behind: start, limit: page.fetchLimit, now: now, in: database)
    let part = stretch.prefix(page.limit)
    var items = HistoryItems(calendars, now: now, in: database)
    let found = try part.positions.compactMap { try items.item(at: $0) }
    return page.page(try found.compactMap { try shown($0, in: database).flatMap(item) }, goingOnBehind: part.end)
  }

  /// What the account may see of an entry: another account's place only while that account consents, and no entry that was found by such a
  /// place otherwise.
  private func shown(_ item: HistoryItem, in database: Database) throws -> HistoryItem? {
    guard item.accountID != account, item.location != nil else { return item }
    if try Accounts.hasConsent(.location, of: item.accountID, in: database) { return item }
    var item = item
    item.location = nil
    return usesPlace ? nil : item
  }
}

extension HistoryStretch {
  /// Returns the entries of a history after a position, as the account may see them.
  static func find(
    _ scope: HistoryScope, of account: AccountID, _ search: HistorySearch, behind start: HistoryPosition?, limit: Int,
    now: Instant, in database: Database
  ) throws -> HistoryStretch {
    let own = { try OwnHistory.stretch(of: account, search, behind: start, limit: limit, in: database) }
    return switch scope {
    case .mine: try own()
    case .followed: try FollowedHistory.latest(of: account, search, behind: start, limit: limit, now: now, in: database)
    case .all:
      try own().merged(
        with: try FollowedHistory.all(of: account, search, behind: start, limit: limit, now: now, in: database))
    }
  }
}
