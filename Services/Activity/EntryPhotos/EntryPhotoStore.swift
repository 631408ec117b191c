import ActivityContract
import Foundation
import GRDB
import Images
import Operations
import Storage

/// The photos of entries.
enum EntryPhotoStore {
  /// The table as ``EntryStore/detailsMigration(_:)`` creates it.
  static let table = """
    -- Separate from the entries, so that reading an entry does not read its photo.
    CREATE TABLE entry_photos (
      photo_id INTEGER NOT NULL PRIMARY KEY,
      activity_id BLOB NOT NULL,
      day INTEGER NOT NULL,
      media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
      content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 65536),
      UNIQUE (activity_id, day),
      FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE
    ) STRICT;
    """

  /// Allows larger photos, as configured; a later migration than the table's.
  static func sizeMigration(_ number: Int) -> Migration {
    Migration(number, "larger photos of entries") { database in
      try database.redeclare("entry_photos", replacing: "BETWEEN 1 AND 65536", with: "BETWEEN 1 AND 524288")
    }
  }

  /// - Throws: `not_found` without one.
  static func find(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> MediaFile {
    let statement = try database.cachedStatement(
      sql: """
        SELECT media_type, photo_tag, content FROM entry_photos JOIN entries USING (activity_id, day)
        WHERE activity_id = ? AND day = ?
        """)
    guard let row = try Row.fetchOne(statement, arguments: [activity, day]) else { throw Failure(RequestFailure.notFound) }
    return MediaFile(mediaType: row["media_type"], tag: row["photo_tag"], content: Base64Bytes(Array(row["content"] as Data)))
  }

  /// Restores a copied photo to an entry without one.
  static func restore(_ photo: MediaFile, _ activity: ActivityID, _ day: LocalDay, in database: Database) throws {
    try database.run(
      "INSERT INTO entry_photos (activity_id, day, media_type, content) VALUES (?, ?, ?, ?)", .id(activity), .day(day),
      .text(photo.mediaType), .bytes(photo.content.bytes))
  }

  /// Sets the photo of an entry; nil removes it.
  static func put(_ picture: Picture?, _ activity: ActivityID, _ day: LocalDay, in database: Database) throws {
    guard let picture else {
      try database.run("DELETE FROM entry_photos WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
      return
    }
    try database.run(
      """
      INSERT INTO entry_photos (activity_id, day, media_type, content) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (activity_id, day) DO UPDATE SET media_type = ?3, content = ?4
      """, .id(activity), .day(day), .text(picture.format.rawValue), .bytes(picture.bytes))
  }
}
