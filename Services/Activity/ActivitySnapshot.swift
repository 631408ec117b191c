import GRDB
import Operations

/// The whole state as events, for listeners without history: activities, their entries, and every day's steps.
enum ActivitySnapshot {
  /// About how many rows one page is made of.
  static let pageSize = 1000

  /// What each part tells after a key of its own, and the key of the last it told, nil when there is no more.
  typealias Part = @Sendable (Database, String?) throws -> (events: [any Event], nextKey: String?)

  /// In the order in which they are told.
  private static let parts: [(name: String, page: Part)] = [
    ("activities", Activities.snapshot), ("entries", Entries.snapshot), ("steps", StepTotals.snapshot),
  ]

  /// A page after the key `<part>/<the part's own key>`.
  @Sendable
  static func page(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    let pieces = key?.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) ?? []
    let index = pieces.first.flatMap { name in parts.firstIndex { $0.name == name } } ?? 0
    let own = pieces.last.flatMap { $0.isEmpty || pieces.count < 2 ? nil : $0 }
    let (events, nextKey) = try parts[index].page(database, own)
    if let nextKey { return (events, "\(parts[index].name)/\(nextKey)") }
    return (events, index + 1 < parts.count ? "\(parts[index + 1].name)/" : nil)
  }
}
