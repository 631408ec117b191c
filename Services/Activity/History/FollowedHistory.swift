import ActivityContract
import GRDB
import Operations
import Storage

/// The history of the accounts that an account follows, without archived activities (ACT-12): only the latest entry of each activity where
/// these accounts are shown alone, and all entries together with the account's own (T UC 03.02).
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

  /// All entries, read a few days at a time, so that neither following many accounts nor looking far back makes others wait.
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

  /// Whether the entry matches the search.
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
