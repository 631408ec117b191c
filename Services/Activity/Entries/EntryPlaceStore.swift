import ActivityContract
import GRDB
import Operations
import Storage

/// Where entries were made.
enum EntryPlaceStore {
  /// The table as ``EntryStore/detailsMigration(_:)`` creates it.
  static let table = """
    CREATE TABLE entry_places (
      place_id INTEGER NOT NULL PRIMARY KEY,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      activity_id BLOB NOT NULL,
      day INTEGER NOT NULL,
      latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
      longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
      -- null where the device did not say
      accuracy_meters REAL CHECK (accuracy_meters >= 0),
      UNIQUE (activity_id, day),
      FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE
    ) STRICT;
    """

  static func find(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> EntryLocation? {
    let statement = try database.cachedStatement(
      sql: "SELECT latitude, longitude, accuracy_meters FROM entry_places WHERE activity_id = ? AND day = ?")
    return try Row.fetchOne(statement, arguments: [activity, day]).map {
      EntryLocation(latitude: $0["latitude"], longitude: $0["longitude"], accuracyMeters: $0["accuracy_meters"])
    }
  }

  /// Sets the place of an entry; nil removes it.
  static func put(
    _ location: EntryLocation?, _ activity: ActivityID, _ day: LocalDay, of account: AccountID, in database: Database
  ) throws {
    guard let location else {
      try database.run("DELETE FROM entry_places WHERE activity_id = ? AND day = ?", .id(activity), .day(day))
      return
    }
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO entry_places (account_id, activity_id, day, latitude, longitude, accuracy_meters) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (activity_id, day) DO UPDATE
        SET latitude = excluded.latitude, longitude = excluded.longitude, accuracy_meters = excluded.accuracy_meters
        """)
    try statement.execute(arguments: [
      account, activity, day, location.latitude, location.longitude, location.accuracyMeters,
    ])
  }
}
