import GRDB
import Operations
import Storage

/// Yields a few days at a time, newest first, for entries that come in no order: as many days as the page seems to need by what was found
/// so far.
struct HistoryWindow {
  private static let growth = 4
  /// After days with this many entries the window does not grow.
  private static let many = 500

  private let days: ClosedRange<LocalDay>?
  private var newest: LocalDay
  private var length = 1
  private var lookedBefore = 0

  /// - Parameter source: limits the days to those between the account's first and last entry in it.
  init(_ days: ClosedRange<LocalDay>, of account: AccountID, _ source: HistoryStore.Source, in database: Database) throws {
    self.init(try HistoryStore.held(source, days, of: account, in: database))
  }

  /// All of these days; none for nil.
  init(_ days: ClosedRange<LocalDay>?) {
    self.days = days
    newest = days?.upperBound ?? .placeholder
  }

  /// Returns the next days; nil after the last.
  ///
  /// - Parameters:
  ///   - looked: how many entries were looked at so far.
  ///   - found: how many of them were found.
  ///   - limit: how many are wanted.
  mutating func next(looked: Int, found: Int, of limit: Int) -> ClosedRange<LocalDay>? {
    guard let days, newest >= days.lowerBound else { return nil }
    let passed = newest.distance(to: days.upperBound)
    if passed > 0, looked - lookedBefore < HistoryWindow.many { length *= HistoryWindow.growth }
    if found > 0 {
      // As many as hold what is wanted still, and a quarter more for chance.
      let enough = (limit - found) * passed / found
      length = max(1, min(length, enough + enough / 4 + 1))
    }
    lookedBefore = looked
    let oldest = length > days.lowerBound.distance(to: newest) ? days.lowerBound : newest.advanced(by: 1 - length)
    defer { newest = oldest.advanced(by: -1) }
    return oldest...newest
  }
}
