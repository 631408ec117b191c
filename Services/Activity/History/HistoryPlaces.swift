import GRDB
import Operations
import Storage

/// Entries near a point, newest first.
enum HistoryPlaces {
  static func near(
    _ area: HistoryArea, of account: AccountID, _ number: Int64, _ days: ClosedRange<LocalDay>,
    _ candidates: inout HistoryCandidates, in database: Database
  ) throws {
    let search = candidates.search
    var window = try HistoryWindow(days, of: account, .places, in: database)
    while let days = candidates.next(&window) {
      var found: [HistoryPosition] = []
      var others = 0
      for box in area.boxes {
        try HistoryStore.eachPlace(in: box, of: number, days, in: database) { position, latitude, longitude in
          if search.hasActivity(of: position), area.contains(latitude: latitude, longitude: longitude) {
            found.append(position)
          } else {
            others += 1
          }
        }
      }
      try candidates.take(found, besides: others, of: days, lookUps: search.text == nil ? 0 : 1) {
        try search.hasText($0, in: database)
      }
    }
  }

  /// How many of the newest days are sampled to decide whether a place is rare.
  private static let sampleDays = 512

  /// Whether fewer than the maximum number of entries are there, judging by the newest days.
  static func isRare(
    _ area: HistoryArea, fewerThan maximum: Int, of account: AccountID, _ number: Int64, _ days: ClosedRange<LocalDay>,
    in database: Database
  ) throws -> Bool {
    guard let held = try HistoryStore.held(.places, days, of: account, in: database) else { return true }
    let length = held.lowerBound.distance(to: held.upperBound) + 1
    let sample = max(held.lowerBound, held.upperBound.advanced(by: 1 - sampleDays))...held.upperBound
    let enough = max(1, maximum * min(length, sampleDays) / length)
    let count = try area.boxes.reduce(0) { count, box in
      count + (try HistoryStore.countPlaces(in: box, of: number, sample, maximum: enough, in: database))
    }
    return count < enough
  }
}
