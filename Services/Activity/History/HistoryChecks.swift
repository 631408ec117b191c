import GRDB
import Operations
import Storage

extension HistorySearch {
  /// Whether the entry is of one of the requested activities.
  func hasActivity(of position: HistoryPosition) -> Bool { activities?.contains(position.activity) ?? true }

  /// Looks up whether the entry's comment contains the text; true where no text is given.
  func hasText(_ position: HistoryPosition, in database: Database) throws -> Bool {
    guard let text else { return true }
    return try HistoryStore.hasComment(position, holding: text, in: database)
  }

  /// Looks up whether the entry's place matches; true where no place is needed.
  func hasPlace(_ position: HistoryPosition, in database: Database) throws -> Bool {
    guard area != nil || needsPlace else { return true }
    return try HistoryStore.hasPlace(position, in: area, in: database)
  }
}
