import Operations
import SocialContract
import Storage

/// Applies events of social to the read model of relations.
enum RelationSubscriptions {
  static func relationChanged(_ event: RelationChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try RelationStore.keep(event, transaction)
  }
}
