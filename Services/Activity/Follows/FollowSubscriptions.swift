import Operations
import SocialContract
import Storage

/// What the read model of follows learns from social.
enum FollowSubscriptions {
  static func followChanged(_ event: FollowChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try FollowStore.keep(event, transaction)
  }
}
