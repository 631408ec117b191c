import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The directory, searched.
enum DirectoryHandlers {
  static func search(_ input: SearchDirectory.Input, _ call: AccountCall, _ database: Database) throws -> SearchDirectory.Output {
    let account = try call.liveAccount(database)
    let search = DirectoryText(input.query?.description ?? "")
    // Of what was typed nothing but marks may be left out.
    if input.query != nil, search.scalars.count < DirectoryQuery.length.lowerBound {
      throw Failure.field("query", DirectoryQuery.tooShort)
    }
    let page = try call.page(input)
    let position = try page.cursor { text throws(FieldRule) in
      try DirectoryPosition(text: text, of: search)
    }
    let start = position ?? .start(DirectoryNames.key(search.scalars))
    let hits = try DirectoryStore.search(
      search, behind: start, limit: page.fetchLimit, for: account.id, now: call.now, in: database)
    return page.page(of: hits, key: \.position) { $0.entry }
  }
}

extension DirectoryPosition {
  /// A position in what that search finds, and no other.
  fileprivate init(text: String, of search: DirectoryText) throws(FieldRule) {
    try self.init(text: text)
    guard suffix.utf8.starts(with: DirectoryNames.key(search.scalars).utf8) else { throw PageCursor.invalid }
  }
}
