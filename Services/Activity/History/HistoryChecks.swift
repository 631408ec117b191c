import GRDB
import Operations
import Storage

extension HistorySearch {
  /// Whether the activity is one of those asked for.
  func hasActivity(of position: HistoryPosition) -> Bool { activities?.contains(position.activity) ?? true }

  static let text = "SELECT instr(folded, ?) > 0 FROM entry_comments WHERE activity_id = ? AND day = ?"

  /// Whether the comment of the entry, which is looked up, holds the text; yes where none is asked for.
  func hasText(_ position: HistoryPosition, in database: Database) throws -> Bool {
    guard let text else { return true }
    return try database.first(
      HistorySearch.text, .text(text.description), .id(position.activity), .day(position.day)
    ) { $0.truth(0) } ?? false
  }

  static let place = "SELECT latitude, longitude FROM entry_places WHERE activity_id = ? AND day = ?"

  /// Whether the place of the entry, which is looked up, is one of those asked for; yes where none is.
  func hasPlace(_ position: HistoryPosition, in database: Database) throws -> Bool {
    guard area != nil || needsPlace else { return true }
    return try database.first(HistorySearch.place, .id(position.activity), .day(position.day)) {
      area?.contains(latitude: $0.real(0), longitude: $0.real(1)) ?? true
    } ?? false
  }
}
