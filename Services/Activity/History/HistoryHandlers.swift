import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit

/// The history of entries: as a list, and as points for a map.
struct HistoryHandlers: Sendable {
  let calendars: AccountCalendars

  static func prepare(_ input: HistoryQuery, _ call: AccountCall) async throws {
    if input.latitude != nil { try await Accounts.catchUp(on: .location, call) }
  }

  func list(
    _ input: HistoryQuery, _ prepared: Void, _ call: AccountCall, _ database: Database
  ) throws -> ListHistory.Output {
    try HistoryReading(input, needsPlace: false, call, calendars).page(database) { $0 }
  }

  func listPoints(
    _ input: HistoryQuery, _ prepared: Void, _ call: AccountCall, _ database: Database
  ) throws -> ListHistoryPoints.Output {
    try HistoryReading(input, needsPlace: true, call, calendars).page(database) { HistoryPoint($0) }
  }
}
