public import Operations

/// The requested page of a list, and how rows become a page.
///
/// A page continues after the key of the previous page's last item, so that new items neither duplicate nor hide others.
///
///     let page = try call.page(input)
///     let rows = try Row.fetchAll(statement, arguments: [account, page.before, page.fetchLimit])
///     return page.page(of: rows, key: { $0["sequence"] as Int64 }) { Message($0) }
public struct PageRequest: Sendable {
  /// Items on a page if the client sets no limit.
  public static let usualLimit = 50

  /// The largest number of items on the page.
  public let limit: Int
  /// The key of the previous page's last item; nil on the first page.
  private let lastKey: String?
  private let seal: @Sendable (String) -> PageCursor

  init(limit: Int?, lastKey: String?, seal: @escaping @Sendable (String) -> PageCursor) {
    self.limit = limit ?? PageRequest.usualLimit
    self.lastKey = lastKey
    self.seal = seal
  }

  /// How many rows to fetch: one more than the page holds shows whether there is a next page.
  public var fetchLimit: Int { limit + 1 }

  /// For lists in descending order of a number: only rows below it belong to the page.
  public var before: Int64 {
    get throws(Failure) {
      try cursor { text throws(FieldRule) in
        guard let number = Int64(text) else { throw PageCursor.invalid }
        return number
      } ?? .max
    }
  }

  /// For lists by any other key: only rows after it belong to the page; nil on the first.
  ///
  ///     page.cursor(Username.init(text:))
  public func cursor<Key>(_ read: (String) throws(FieldRule) -> Key) throws(Failure) -> Key? {
    guard let lastKey else { return nil }
    do throws(FieldRule) {
      return try read(lastKey)
    } catch {
      // Genuine, but from an older version of the list with other keys.
      throw .invalidCursor
    }
  }

  /// The page made of the fetched rows.
  public func page<Row, Key: CustomStringConvertible, Item>(
    of rows: [Row], key: (Row) -> Key, item: (Row) throws -> Item
  ) rethrows -> Page<Item> {
    let shown = rows.prefix(limit)
    let next = rows.count > limit ? shown.last.map { seal(key($0).description) } : nil
    return Page(items: try shown.map(item), nextCursor: next)
  }

  /// The page of these items, for a list that searches for them and may stop before the page is full: the next page continues after the
  /// position reached.
  ///
  /// - Parameter cursor: nil if nothing is left to search.
  public func page<Key: CustomStringConvertible, Item>(_ items: [Item], goingOnBehind cursor: Key?) -> Page<Item> {
    Page(items: items, nextCursor: cursor.map { seal($0.description) })
  }
}

extension Call {
  /// The page that a list's input requests.
  ///
  /// - Throws: `invalid_fields` naming `cursor`, unless this list issued it to this caller.
  public func page(_ input: some ListInput) throws(Failure) -> PageRequest {
    let seal = base.context.keys.cursors
    let list = "\(header.operation) \(caller.account?.description ?? "")"
    let lastKey = try input.cursor.map { cursor throws(Failure) in try seal.open(cursor, of: list) }
    return PageRequest(limit: input.limit, lastKey: lastKey) { seal.cursor($0, of: list) }
  }
}
