import ActivityContract
import GRDB
import InProcess
import Operations
import SocialContract
import Storage

@testable import ActivityService

/// An entry as a test plants it, without the rules of recording.
struct PlantedEntry: Hashable, Sendable {
  var owner: AccountID
  var activity: ActivityID
  var day: LocalDay
  var isDone = true
  var comment: String?
  var place: EntryLocation?
}

extension ServicesInProcess {
  /// Writes entries into activity's store, with what follows from their comments and places.
  func plant(_ entries: [PlantedEntry]) async throws {
    try await store(of: .activity).write { transaction in
      for entry in entries { try entry.keep(in: transaction.database) }
    }
  }

  /// Lets one follow the other, or no more, as social publishes it, and waits until activity knows.
  func follow(_ one: Person, _ other: Person, _ state: FollowChanged.State = .accepted, revision: Int = 1) async throws {
    try await hasReceived(.activity, of: .social)
    let event = FollowChanged(
      followerAccountID: one.id, followedAccountID: other.id, state: state, revision: revision, at: clock.now)
    try await store(of: .social).write { try $0.publish(event) }
    try await hasReceived(.activity, of: .social)
  }
}

extension PlantedEntry {
  func keep(in database: Database) throws {
    let entry = try database.cachedStatement(
      sql: """
        INSERT INTO entries (activity_id, day, account_id, progress, is_done, recorded_at, comment, progress_at)
        VALUES (?, ?, ?, ?, ?, 0, ?, 0)
        """)
    try entry.execute(arguments: [activity, day, owner, isDone ? 1 : 0, isDone, comment])
    if let comment { try EntryCommentStore.keep(comment, of: owner, activity, day, in: database) }
    guard let place else { return }
    let insertion = try database.cachedStatement(
      sql: "INSERT INTO entry_places (account_id, activity_id, day, latitude, longitude) VALUES (?, ?, ?, ?, ?)")
    try insertion.execute(arguments: [owner, activity, day, place.latitude, place.longitude])
  }
}

extension Person {
  /// The whole history, page by page.
  func history(_ query: HistoryQuery) async throws -> [HistoryItem] {
    var (query, items) = (query, [HistoryItem]())
    while true {
      let page = try await send(ListHistory.self, query)
      items += page.items
      guard let next = page.nextCursor else { return items }
      query.cursor = next
    }
  }
}
