public import GRDB
public import Operations
import Storage

/// A service's state as events, told part by part: what a listener without history begins with.
///
///     service.tellSnapshot(SnapshotParts([("activities", Activities.snapshot), ("entries", Entries.snapshot)]).page)
public struct SnapshotParts: Sendable {
  /// About how many events make one page.
  public static let pageSize = 1000

  /// Events, and the key of the last row that they tell; nil when there is no more.
  public typealias Page = (events: [any Event], nextKey: String?)

  /// A page of one part after a key of its own.
  public typealias Part = @Sendable (Database, String?) throws -> Page

  private let parts: [(name: String, page: Part)]

  /// - Parameter parts: in the order in which they are told; a name has no slash.
  public init(_ parts: [(name: String, page: Part)]) {
    precondition(!parts.isEmpty && parts.allSatisfy { !$0.name.contains("/") })
    self.parts = parts
  }

  /// The page after the key `<part>/<the part's own key>`; the first for nil, or for a key that an older version of the program
  /// gave to a part that is no more.
  @Sendable
  public func page(_ database: Database, after key: String?) throws -> Page {
    let pieces = key?.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) ?? []
    let index = pieces.first.flatMap { name in parts.firstIndex { $0.name == name } } ?? 0
    let own = pieces.last.flatMap { $0.isEmpty || pieces.count < 2 ? nil : $0 }
    let (events, nextKey) = try parts[index].page(database, own)
    if let nextKey { return (events, "\(parts[index].name)/\(nextKey)") }
    return (events, index + 1 < parts.count ? "\(parts[index + 1].name)/" : nil)
  }
  /// The page that tells these rows, of which at most ``pageSize`` were fetched: fewer are the last.
  public static func page<Row>(
    _ events: [any Event], of rows: [Row], key: (Row) -> some CustomStringConvertible
  ) -> Page {
    (events, rows.count < pageSize ? nil : rows.last.map { key($0).description })
  }
}
