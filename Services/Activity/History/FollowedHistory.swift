import ActivityContract
import GRDB
import Operations
import Storage

/// The history of those whom an account follows, but of nothing that they have archived (ACT-12): of each of their activities the latest
/// entry, where they are shown by themselves, and all entries beside the account's own (T UC 03.02).
enum FollowedHistory {
  /// The latest entry of each activity.
  static func latest(
    of follower: AccountID, _ search: HistorySearch, behind start: HistoryPosition?, limit: Int, now: Instant,
    in database: Database
  ) throws -> HistoryStretch {
    var candidates = HistoryCandidates(search, behind: start, limit: limit)
    guard let days = candidates.days else { return HistoryStretch() }
    try HistoryStore.eachLatestFollowed(by: follower, days, now: now, in: database) { entry in
      candidates.take(entry.position, fits: fits(entry, search))
      return !candidates.isFull
    }
    return candidates.stretch
  }

  /// All entries: a few days at a time, so that neither those who follow many nor those who look back far keep others waiting.
  static func all(
    of follower: AccountID, _ search: HistorySearch, behind start: HistoryPosition?, limit: Int, now: Instant,
    in database: Database
  ) throws -> HistoryStretch {
    var candidates = HistoryCandidates(search, behind: start, limit: limit)
    guard let days = candidates.days else { return HistoryStretch() }
    var window = HistoryWindow(try HistoryStore.heldFollowed(days, by: follower, in: database))
    while let days = candidates.next(&window) {
      var (found, fitting) = ([HistoryPosition](), Set<HistoryPosition>())
      try HistoryStore.eachFollowed(by: follower, days, now: now, in: database) { entry in
        found.append(entry.position)
        if fits(entry, search) { fitting.insert(entry.position) }
      }
      candidates.take(found, of: days) { fitting.contains($0) }
    }
    return candidates.stretch
  }

  /// Whether the entry is one that is looked for.
  private static func fits(_ entry: HistoryStore.FollowedEntry, _ search: HistorySearch) -> Bool {
    search.hasActivity(of: entry.position) && isThere(entry, search) && holdsText(entry, search)
  }

  private static func isThere(_ entry: HistoryStore.FollowedEntry, _ search: HistorySearch) -> Bool {
    guard search.area != nil || search.needsPlace else { return true }
    guard let place = entry.place else { return false }
    return search.area?.contains(latitude: place.latitude, longitude: place.longitude) ?? true
  }

  private static func holdsText(_ entry: HistoryStore.FollowedEntry, _ search: HistorySearch) -> Bool {
    guard let text = search.text else { return true }
    return entry.comment.map { FoldedText($0).contains(text) } ?? false
  }
}
