import Foundation
import GRDB
import IdentityContract
import Images
import Operations
import Storage

extension Database {
  /// The account's photo.
  ///
  /// - Throws: `not_found` without one.
  func photo(of account: AccountID) throws -> MediaFile {
    let row = try Row.fetchOne(
      cachedStatement(
        sql: """
          SELECT media_type, photo_tag, content FROM photos JOIN accounts USING (account_id) WHERE account_id = ?
          """),
      arguments: [account])
    guard let row else { throw Failure(RequestFailure.notFound) }
    return MediaFile(mediaType: row["media_type"], tag: row["photo_tag"], content: Base64Bytes(Array(row["content"] as Data)))
  }
}

extension Transaction {
  /// Gives the account that photo, in place of the one it had.
  func putPhoto(of account: AccountID, _ picture: Picture) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO photos (account_id, media_type, content) VALUES (?, ?, ?)
        ON CONFLICT (account_id) DO UPDATE SET media_type = excluded.media_type, content = excluded.content
        """
    ).execute(arguments: [account, picture.format.rawValue, Data(picture.bytes)])
    try setPhotoTag(of: account, picture.tag)
  }

  /// Removes the account's photo.
  func deletePhoto(of account: AccountID) throws {
    try database.cachedStatement(sql: "DELETE FROM photos WHERE account_id = ?").execute(arguments: [account])
    try setPhotoTag(of: account, nil)
  }

  private func setPhotoTag(of account: AccountID, _ tag: String?) throws {
    try database.cachedStatement(sql: "UPDATE accounts SET photo_tag = ? WHERE account_id = ?").execute(arguments: [tag, account])
  }
}
