import Operations
import SocialContract
import Storage

/// What moderators decide about photos.
enum PhotoSubscriptions {
  /// Removes the photo that was reported; another one that the account has chosen since stays.
  static func removalDecided(_ event: PhotoRemovalDecided, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try PhotoStore.delete(of: event.accountID, tag: event.photoTag, transaction)
  }
}
