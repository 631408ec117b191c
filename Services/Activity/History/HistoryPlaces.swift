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
      try candidates.take(found, besides: others, of: days, lookUps: search.text == nil ? 0 : 1) {
        try search.hasText($0, in: database)
      }
    }
  }

  /// How many of the newest days are looked at to decide whether a place is rare.
  private static let sampleDays = 512

  /// Whether fewer entries than that are about there, as far as the newest days show.
  static func isRare(
    _ area: HistoryArea, fewerThan maximum: Int, of account: AccountID, _ number: Int64, _ days: ClosedRange<LocalDay>,
    in database: Database
  ) throws -> Bool {
    guard let held = try HistoryWindow.held(days, of: account, "entry_places", in: database) else { return true }
    let length = held.lowerBound.distance(to: held.upperBound) + 1
    let sample = max(held.lowerBound, held.upperBound.advanced(by: 1 - sampleDays))...held.upperBound
    let enough = max(1, maximum * min(length, sampleDays) / length)
    let count = try area.boxes.reduce(0) { count, box in
      let more = try database.first(
        "SELECT count(*) FROM (SELECT 1 FROM entry_areas a WHERE \(within) LIMIT ?8)", .real(box.south), .real(box.north),
        .real(box.west), .real(box.east), .day(sample.lowerBound), .day(sample.upperBound), .integer(number), .number(enough)
      ) { $0.number(0) }
      return count + (more ?? 0)
    }
    return count < enough
  }
}
