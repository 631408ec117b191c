import GRDB
import Operations
import Storage

/// Entries by their places.
extension HistoryStore {
  private static let within = """
    a.south <= ?2 AND a.north >= ?1 AND a.west <= ?4 AND a.east >= ?3
      AND a.first_day <= ?6 AND a.last_day >= ?5 AND a.first_owner <= ?7 AND a.last_owner >= ?7
    """

  static let placesWithin = """
    SELECT p.activity_id, p.day, p.latitude, p.longitude
    FROM entry_areas a JOIN entry_places p ON p.place_id = a.place_id WHERE \(within)
    """

  /// Reads the entries of an account that lie in a box, with their places, in no order.
  static func eachPlace(
    in box: HistoryArea.Box, of account: Int64, _ days: ClosedRange<LocalDay>, in database: Database,
    _ body: (HistoryPosition, _ latitude: Double, _ longitude: Double) -> Void
  ) throws {
    try database.each(
      placesWithin, .real(box.south), .real(box.north), .real(box.west), .real(box.east), .day(days.lowerBound),
      .day(days.upperBound), .integer(account)
    ) {
      body(HistoryPosition(day: $0.day(1), activity: try $0.id(0)), $0.real(2), $0.real(3))
      return true
    }
  }

  /// How many entries lie in a box, up to a maximum.
  static func countPlaces(
    in box: HistoryArea.Box, of account: Int64, _ days: ClosedRange<LocalDay>, maximum: Int, in database: Database
  ) throws -> Int {
    try database.first(
      "SELECT count(*) FROM (SELECT 1 FROM entry_areas a WHERE \(within) LIMIT ?8)", .real(box.south), .real(box.north),
      .real(box.west), .real(box.east), .day(days.lowerBound), .day(days.upperBound), .integer(account), .number(maximum)
    ) { $0.number(0) } ?? 0
  }

  static let placeOfEntry = "SELECT latitude, longitude FROM entry_places WHERE activity_id = ? AND day = ?"

  /// Whether an entry has a place, within the area if one is given.
  static func hasPlace(_ position: HistoryPosition, in area: HistoryArea?, in database: Database) throws -> Bool {
    try database.first(placeOfEntry, .id(position.activity), .day(position.day)) {
      area?.contains(latitude: $0.real(0), longitude: $0.real(1)) ?? true
    } ?? false
  }
}
