import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Weeks: read.
enum SocialWeekHandlers {
  static func get(_ input: GetSocialWeeks.Input, _ call: OpenCall, _ database: Database) throws -> GetSocialWeeks.Output {
    .init(
      acceptedChallenges: try input.times.map { time in
        try FriendChallengeStore.countAccepted(from: time.accountID, since: time.from, until: time.until, in: database)
      }, checkpoint: try RegisterTileStore.last(database)?.note)
  }
}
