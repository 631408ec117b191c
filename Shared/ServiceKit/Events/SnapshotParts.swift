public import GRDB
public import Operations
import Storage

/// A service's state as events, told part by part: what a listener without history begins with.
///
/// Of a listener that names the events it needs, only the parts that tell such events are read: a gateway, which needs what was
/// revoked lately, does not make identity read a million accounts.
///
///     service.tellSnapshot(
///       SnapshotParts([
///         ("activities", [ActivityChanged.self], Activities.snapshot), ("entries", [EntryChanged.self], Entries.snapshot),
///       ]).page)
public struct SnapshotParts: Sendable {
  /// About how many events make one page.
  public static let pageSize = 1000

  /// Events, and the key of the last row that they tell; nil when there is no more.
  public typealias Page = (events: [any Event], nextKey: String?)

  /// A page of one part after a key of its own.
  public typealias Part = @Sendable (Database, String?) throws -> Page

  private let parts: [(name: String, publishes: Set<String>, page: Part)]

  /// - Parameter parts: in the order in which they are told, each with all events that it tells; a name has no slash.
  public init(_ parts: [(name: String, publishes: [any Event.Type], page: Part)]) {
    precondition(!parts.isEmpty && parts.allSatisfy { !$0.name.contains("/") && !$0.publishes.isEmpty })
    self.parts = parts.map { ($0.name, Set($0.publishes.map { $0.spec.name }), $0.page) }
  }

  /// The page after the key `<part>/<the part's own key>` of the parts that tell events of those names (nil: of all); the first for
  /// nil, or for a key that an older version of the program gave to a part that is no more.
  @Sendable
  public func page(_ database: Database, of names: Set<String>? = nil, after key: String?) throws -> Page {
    let pieces = key?.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) ?? []
    let begun = pieces.first.flatMap { name in parts.firstIndex { $0.name == name } } ?? 0
    guard let index = firstPart(from: begun, publishing: names) else { return ([], nil) }
    let own = index == begun ? pieces.last.flatMap { $0.isEmpty || pieces.count < 2 ? nil : $0 } : nil
    let part = parts[index]
    let (events, nextKey) = try part.page(database, own)
    assert(
      events.allSatisfy { part.publishes.contains(type(of: $0).spec.name) }, "\(part.name) tells an event that it does not name")
    if let nextKey { return (events, "\(part.name)/\(nextKey)") }
    return (events, firstPart(from: index + 1, publishing: names).map { "\(parts[$0].name)/" })
  }

  private func firstPart(from index: Int, publishing names: Set<String>?) -> Int? {
    parts.indices.dropFirst(index).first { index in names.map { !$0.isDisjoint(with: parts[index].publishes) } ?? true }
  }

  /// The page that tells these rows, of which at most ``pageSize`` were fetched: fewer are the last.
  public static func page<Row>(
    _ events: [any Event], of rows: [Row], key: (Row) -> some CustomStringConvertible
  ) -> Page {
    (events, rows.count < pageSize ? nil : rows.last.map { key($0).description })
  }
}
