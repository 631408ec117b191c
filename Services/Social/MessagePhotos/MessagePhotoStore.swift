import Foundation
import GRDB
import Images
import Operations
import SocialContract
import Storage

/// The photos of messages.
enum MessagePhotoStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "photos in messages") { database in
      try database.execute(
        sql: """
          -- Separate from the messages, so that reading a message does not read its photo.
          CREATE TABLE message_photos (
            message_id BLOB NOT NULL PRIMARY KEY REFERENCES messages (message_id) ON DELETE CASCADE,
            media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
            -- Names exactly the bytes.
            tag TEXT NOT NULL CHECK (length(tag) = 32),
            content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 524288)
          ) STRICT;
          """)
    }
  }

  static func add(_ picture: Picture, to message: ID<ChatMessage>, in database: Database) throws {
    try database.cachedStatement(
      sql: "INSERT INTO message_photos (message_id, media_type, tag, content) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [message, picture.format.rawValue, picture.tag, Data(picture.bytes)])
  }

  /// Gives a message a photo back that was copied.
  static func restore(_ photo: MediaFile, to message: ID<ChatMessage>, in database: Database) throws {
    try database.cachedStatement(
      sql: "INSERT INTO message_photos (message_id, media_type, tag, content) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [message, photo.mediaType, photo.tag, Data(photo.content.bytes)])
  }

  static func remove(from message: ID<ChatMessage>, in database: Database) throws {
    try database.cachedStatement(sql: "DELETE FROM message_photos WHERE message_id = ?").execute(arguments: [message])
  }

  /// - Throws: `not_found` without one.
  static func read(of message: ID<ChatMessage>, in database: Database) throws -> MediaFile {
    let statement = try database.cachedStatement(
      sql: "SELECT media_type, tag, content FROM message_photos WHERE message_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [message]) else { throw Failure(RequestFailure.notFound) }
    return MediaFile(mediaType: row["media_type"], tag: row["tag"], content: Base64Bytes(Array(row["content"] as Data)))
  }
}
