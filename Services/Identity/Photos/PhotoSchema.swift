import GRDB
import Storage

/// The table of photos.
enum PhotoSchema {
  static let first = """
    -- Names exactly the bytes of the account's photo; without a photo null.
    ALTER TABLE accounts ADD COLUMN photo_tag TEXT CHECK (length(photo_tag) = 32);

    -- Apart from the accounts, so that reading one does not read its photo.
    CREATE TABLE photos (
      account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
      media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
      content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 65536)
    ) STRICT;
    """

  /// Photos may be larger by a setting.
  static func raiseSize(_ database: Database) throws {
    try database.redeclare(
      "photos", replacing: "BETWEEN 1 AND 65536", with: "BETWEEN 1 AND 524288")
  }
}
