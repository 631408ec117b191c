public import GRDB
public import Operations
import Storage

/// A part of a service's state as events, see ``SnapshotParts``.
///
///     let snapshot = [SnapshotPart("follows", FollowChanged.self, page: FollowStore.snapshot)]
public struct SnapshotPart: Sendable {
  let name: String
  let events: Set<String>
  let page: SnapshotParts.Part

  /// - Parameters:
  ///   - name: the prefix of its pages' keys, without a slash.
  ///   - events: all events that the part publishes.
  ///   - page: reads a page of the part after the part's own key.
  public init(_ name: String, _ events: any Event.Type..., page: @escaping SnapshotParts.Part) {
    precondition(!name.contains("/") && !events.isEmpty)
    self.name = name
    self.events = Set(events.map { $0.spec.name })
    self.page = page
  }
}

/// A service's state as events, published part by part to subscribers without history.
///
/// For a subscriber that names the events it needs, only the parts that publish such events are read: a gateway, which needs recent
/// revocations, does not make identity read a million accounts. A service whose features have no part publishes an empty state.
public struct SnapshotParts: Sendable {
  /// How many rows make one page; most make one event each. A page takes effect in one transaction, for which other writes wait: 28 ms for
  /// 250 events where 9,000 a second are taken in.
  public static let pageSize = 250

  /// Events, and the key of the last row that they are made of; nil after the last page.
  public typealias Page = (events: [any Event], nextKey: String?)

  /// Reads a page of one part after the part's own key.
  public typealias Part = @Sendable (Database, String?) throws -> Page

  private let parts: [SnapshotPart]

  /// - Parameter parts: in the order in which they are published.
  public init(_ parts: [SnapshotPart]) { self.parts = parts }

  /// The page after a key `<part>/<the part's own key>`, from the parts that publish events with these names (nil: all). It begins with the
  /// first part if the key is nil or names a part that no longer exists, as an older version of the program may have given.
  @Sendable
  public func page(_ database: Database, of names: Set<String>? = nil, after key: String?) throws -> Page {
    let pieces = key?.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) ?? []
    let begun = pieces.first.flatMap { name in parts.firstIndex { $0.name == name } }
    guard let index = firstPart(from: begun ?? 0, publishing: names) else { return ([], nil) }
    let own = index == begun ? pieces.last.flatMap { $0.isEmpty || pieces.count < 2 ? nil : $0 } : nil
    let part = parts[index]
    let (events, nextKey) = try part.page(database, own)
    assert(
      events.allSatisfy { part.events.contains(type(of: $0).spec.name) }, "\(part.name) publishes an event that it does not name")
    if let nextKey { return (events, "\(part.name)/\(nextKey)") }
    return (events, firstPart(from: index + 1, publishing: names).map { "\(parts[$0].name)/" })
  }

  private func firstPart(from index: Int, publishing names: Set<String>?) -> Int? {
    parts.indices.dropFirst(index).first { index in names.map { !$0.isDisjoint(with: parts[index].events) } ?? true }
  }

  /// The page that publishes these rows, of which at most ``pageSize`` were fetched: fewer rows mean the last page.
  public static func page<Row>(
    _ events: [any Event], of rows: [Row], key: (Row) -> some CustomStringConvertible
  ) -> Page {
    (events, rows.count < pageSize ? nil : rows.last.map { key($0).description })
  }
}
