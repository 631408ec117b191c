import Operations
import SocialContract
import Storage

/// What moderators decide about photos.
enum PhotoSubscriptions {
  /// Removes the photo that was reported; another one that the account has chosen since stays.
  static func removalDecided(_ event: PhotoRemovalDecided, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try PhotoStore.delete(of: event.accountID, tag: event.photoTag, transaction)
  }

  /// Puts a photo back that an appeal gives back, unless the account is gone or has chosen another.
  static func restorationDecided(
    _ event: PhotoRestorationDecided, _ logged: LoggedEvent, _ transaction: Transaction
  ) throws {
    try PhotoStore.restore(event.photo, of: event.accountID, transaction)
  }
}
