import GRDB
import Operations
import Storage

extension HistorySearch {
  /// Whether the activity is one of those asked for.
  func hasActivity(of position: HistoryPosition) -> Bool { activities?.contains(position.activity) ?? true }

  /// Whether the comment of the entry, which is looked up, holds the text; yes where none is asked for.
  func hasText(_ position: HistoryPosition, in database: Database) throws -> Bool {
    guard let text else { return true }
    return try HistoryStore.hasComment(position, holding: text, in: database)
  }

  /// Whether the place of the entry, which is looked up, is one of those asked for; yes where none is.
  func hasPlace(_ position: HistoryPosition, in database: Database) throws -> Bool {
    guard area != nil || needsPlace else { return true }
    return try HistoryStore.hasPlace(position, in: area, in: database)
  }
}
