public import GRDB
public import Operations
import Storage

extension Row {
  /// The photo of the account whose id is in that column, for a row with the account's `photo_tag`; nil without a photo.
  public func photoURL(of account: String) -> PhotoURL? {
    guard let tag = self["photo_tag"] as String?, let id = self[account] as AccountID? else { return nil }
    return PhotoURL(account: id, tag: tag)
  }
}
