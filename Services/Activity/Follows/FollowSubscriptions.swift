import Operations
import SocialContract
import Storage

/// Applies events of social to the read model of follows.
enum FollowSubscriptions {
  static func followChanged(_ event: FollowChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try FollowStore.keep(event, transaction)
  }
}
