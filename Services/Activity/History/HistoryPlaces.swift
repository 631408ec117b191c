import GRDB
import Operations
import Storage

/// Entries near a point, newest first.
enum HistoryPlaces {
  private static let within = """
    a.south <= ?2 AND a.north >= ?1 AND a.west <= ?4 AND a.east >= ?3
      AND a.first_day <= ?6 AND a.last_day >= ?5 AND a.first_owner <= ?7 AND a.last_owner >= ?7
    """

  static let near = """
    SELECT p.activity_id, p.day, p.latitude, p.longitude
    FROM entry_areas a JOIN entry_places p ON p.place_id = a.place_id WHERE \(within)
    """

  static func near(
    _ area: HistoryArea, of account: AccountID, _ number: Int64, _ days: ClosedRange<LocalDay>,
    _ candidates: inout HistoryCandidates, in database: Database
  ) throws {
    let search = candidates.search
    var window = try HistoryWindow(days, of: account, "entry_places", in: database)
    while let days = candidates.next(&window) {
      var found: [HistoryPosition] = []
      var others = 0
      for box in area.boxes {
        try database.each(
          near, .real(box.south), .real(box.north), .real(box.west), .real(box.east), .day(days.lowerBound),
          .day(days.upperBound), .integer(number)
        ) {
          let position = HistoryPosition(day: $0.day(1), activity: try $0.id(0))
          if search.hasActivity(of: position), area.contains(latitude: $0.real(2), longitude: $0.real(3)) {
            found.append(position)
          } else {
            others += 1
          }
          return true
        }
      }
      try candidates.take(found, besides: others, of: days) { try search.hasText($0, in: database) }
    }
  }

  /// How many places are about there, up to a number.
  static func count(
    _ area: HistoryArea, _ days: ClosedRange<LocalDay>, _ account: Int64, upTo most: Int, in database: Database
  ) throws -> Int {
    try area.boxes.reduce(0) { count, box in
      let more = try database.first(
        "SELECT count(*) FROM (SELECT 1 FROM entry_areas a WHERE \(within) LIMIT ?8)", .real(box.south), .real(box.north),
        .real(box.west), .real(box.east), .day(days.lowerBound), .day(days.upperBound), .integer(account), .number(most)
      ) { $0.number(0) }
      return count + (more ?? 0)
    }
  }
}
