import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// What friends accepted in a week, and the register's checkpoint, as notifications asks for its summaries (NOT-3).
struct SocialWeekFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ReadSocialWeeks.self, read: SocialWeekHandlers.read)
  }
}

/// Weeks: read.
enum SocialWeekHandlers {
  static func read(_ input: ReadSocialWeeks.Input, _ call: OpenCall, _ database: Database) throws -> ReadSocialWeeks.Output {
    .init(
      acceptedChallenges: try input.times.map { time in
        try FriendChallengeStore.countAccepted(from: time.accountID, since: time.from, until: time.until, in: database)
      }, checkpoint: try RegisterTileStore.last(database)?.note)
  }
}

extension FriendChallengeStore {
  /// How many of an account's challenges were accepted in a time, whatever became of them since.
  static func countAccepted(
    from account: AccountID, since from: Instant, until: Instant, in database: Database
  ) throws -> Int {
    try database.first(
      """
      SELECT count(*) FROM friend_challenges
      WHERE from_account = ? AND to_activity IS NOT NULL AND answered_at >= ? AND answered_at < ?
      """, .id(account), .instant(from), .instant(until)
    ) { $0.number(0) } ?? 0
  }
}
