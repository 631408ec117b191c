import Operations
import SocialContract
import Storage

/// What the read model of relations learns from social.
enum RelationSubscriptions {
  static func relationChanged(_ event: RelationChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try RelationStore.keep(event, transaction)
  }
}
