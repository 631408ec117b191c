import Foundation
import GRDB
import IdentityContract
import Images
import Operations
import Storage

/// The accounts' photos.
enum PhotoStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "photos") { database in
      try database.execute(
        sql: """
          -- Identifies exactly the bytes of the account's photo; null without a photo.
          ALTER TABLE accounts ADD COLUMN photo_tag TEXT CHECK (length(photo_tag) = 32);

          -- Separate from the accounts, so that reading an account does not read its photo.
          CREATE TABLE photos (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
            media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
            content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 65536)
          ) STRICT;
          """)
    }
  }

  /// Photos may be larger by a setting.
  static func sizeMigration(_ number: Int) -> Migration {
    Migration(number, "larger photos") { database in
      try database.redeclare("photos", replacing: "BETWEEN 1 AND 65536", with: "BETWEEN 1 AND 524288")
    }
  }

  /// Other services did not learn of photos before.
  static func publicationMigration(_ number: Int) -> Migration {
    Migration(number, "photos that were never published") { database in
      try database.execute(
        sql: """
          -- The accounts whose photo has not been published to other services yet.
          CREATE TABLE unpublished_photos (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          INSERT INTO unpublished_photos (account_id) SELECT account_id FROM accounts WHERE photo_tag IS NOT NULL;
          """)
    }
  }

  /// Publishes some of the accounts whose photo was never published.
  ///
  /// - Returns: how many.
  static func publishEarlier(atMost limit: Int, _ transaction: Transaction) throws -> Int {
    let accounts = try AccountID.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          DELETE FROM unpublished_photos WHERE account_id IN (SELECT account_id FROM unpublished_photos LIMIT ?)
          RETURNING account_id
          """), arguments: [limit])
    for account in accounts {
      // Whoever keeps accounts ignores what is no newer than what it has.
      try transaction.database.cachedStatement(sql: "UPDATE accounts SET revision = revision + 1 WHERE account_id = ?")
        .execute(arguments: [account])
      _ = try AccountStore.publish(account, transaction)
    }
    return accounts.count
  }

  /// The account's photo.
  ///
  /// - Throws: `not_found` without one.
  static func read(of account: AccountID, in database: Database) throws -> MediaFile {
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT media_type, photo_tag, content FROM photos JOIN accounts USING (account_id) WHERE account_id = ?
          """),
      arguments: [account])
    guard let row else { throw Failure(RequestFailure.notFound) }
    return MediaFile(mediaType: row["media_type"], tag: row["photo_tag"], content: Base64Bytes(Array(row["content"] as Data)))
  }

  /// Gives the account that photo, instead of the one it had.
  static func put(of account: AccountID, _ picture: Picture, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO photos (account_id, media_type, content) VALUES (?, ?, ?)
        ON CONFLICT (account_id) DO UPDATE SET media_type = excluded.media_type, content = excluded.content
        """
    ).execute(arguments: [account, picture.format.rawValue, Data(picture.bytes)])
    try setTag(of: account, picture.tag, transaction)
  }

  /// Removes the account's photo.
  static func delete(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM photos WHERE account_id = ?").execute(arguments: [account])
    try setTag(of: account, nil, transaction)
  }

  /// Removes the account's photo if it is the one of that tag.
  static func delete(of account: AccountID, tag: String, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "SELECT 1 FROM accounts WHERE account_id = ? AND photo_tag = ?")
    if try Row.fetchOne(statement, arguments: [account, tag]) != nil { try delete(of: account, transaction) }
  }

  /// Gives a photo back to an account that has none.
  static func restore(_ photo: MediaFile, of account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM accounts WHERE account_id = ? AND photo_tag IS NULL")
    guard try Row.fetchOne(statement, arguments: [account]) != nil else { return }
    try database.cachedStatement(sql: "INSERT INTO photos (account_id, media_type, content) VALUES (?, ?, ?)")
      .execute(arguments: [account, photo.mediaType, Data(photo.content.bytes)])
    try setTag(of: account, photo.tag, transaction)
  }

  /// Notes which photo the account has, and publishes it where that is another than before.
  private static func setTag(of account: AccountID, _ tag: String?, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE accounts SET photo_tag = ?1, revision = revision + 1 WHERE account_id = ?2 AND photo_tag IS NOT ?1"
    ).execute(arguments: [tag, account])
    if transaction.database.changesCount > 0 { _ = try AccountStore.publish(account, transaction) }
  }
}
