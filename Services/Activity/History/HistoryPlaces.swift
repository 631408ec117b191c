import ActivityContract
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
    SELECT p.activity_id, p.day, p.latitude, p.longitude, instr(c.folded, ?8) > 0
    FROM entry_areas a JOIN entry_places p ON p.place_id = a.place_id
    LEFT JOIN entry_comments c ON c.activity_id = p.activity_id AND c.day = p.day
    WHERE \(within)
    """

  static func near(
    _ area: HistoryArea, of account: AccountID, _ number: Int64, _ days: ClosedRange<LocalDay>,
    _ candidates: inout HistoryCandidates, in database: Database
  ) throws {
    let statement = try database.cachedStatement(sql: near)
    let text = candidates.search.text?.description
    var window = try HistoryWindow(days, of: account, "entry_places", in: database)
    while !candidates.isFull, let days = window.next(after: candidates.looked) {
      let rows = try area.boxes.flatMap { box in
        try Row.fetchAll(statement, arguments: arguments(box, days, number) + [text])
      }
      candidates.takeUnordered(rows, comparesText: true)
    }
  }

  /// How many places are about there, up to a number.
  static func count(
    _ area: HistoryArea, _ days: ClosedRange<LocalDay>, _ account: Int64, upTo most: Int, in database: Database
  ) throws -> Int {
    let statement = try database.cachedStatement(
      sql: "SELECT count(*) FROM (SELECT 1 FROM entry_areas a WHERE \(within) LIMIT ?8)")
    return try area.boxes.reduce(0) { count, box in
      try count + (Int.fetchOne(statement, arguments: arguments(box, days, account) + [most]) ?? 0)
    }
  }

  private static func arguments(_ box: HistoryArea.Box, _ days: ClosedRange<LocalDay>, _ account: Int64) -> StatementArguments {
    [box.south, box.north, box.west, box.east, days.lowerBound, days.upperBound, account]
  }
}
