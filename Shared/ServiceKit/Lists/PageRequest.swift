public import Operations

/// Which page of a list is asked for, and how its rows become one.
///
/// Lists go on behind the key of the last item of the page before, so that what comes in meanwhile neither doubles nor hides items.
///
///     let page = PageRequest(limit: input.limit, cursor: input.cursor)
///     let rows = try Row.fetchAll(statement, arguments: [account, page.before, page.fetchLimit])
///     return page.page(of: rows, key: { $0["sequence"] as Int64 }) { Message($0) }
public struct PageRequest: Sendable {
  /// Items on the page at most.
  public let limit: Int
  private let cursor: String?

  /// - Parameters:
  ///   - limit: what the client asks for, its range checked by the document.
  ///   - cursor: the `nextCursor` of the page before.
  public init(limit: Int?, cursor: String?, default usual: Int = 50) {
    self.limit = limit ?? usual
    self.cursor = cursor
  }

  /// How many rows to fetch: one more than the page holds shows whether there is a next page.
  public var fetchLimit: Int { limit + 1 }

  /// For lists by falling number: only rows below it belong to the page. Throws `invalid_cursor`.
  public var before: Int64 {
    get throws(Failure) {
      guard let cursor else { return .max }
      guard let number = Int64(cursor) else { throw Failure(RequestFailure.invalidCursor) }
      return number
    }
  }

  /// For lists by rising text: only rows above it belong to the page; nil on the first. Throws `invalid_cursor`.
  public func after<Value: TextValue>(_ type: Value.Type) throws(Failure) -> Value? {
    guard let cursor else { return nil }
    do throws(FieldRule) {
      return try Value(text: cursor)
    } catch {
      throw Failure(RequestFailure.invalidCursor)
    }
  }

  /// The page made of the rows fetched.
  public func page<Row, Key: CustomStringConvertible, Item>(
    of rows: [Row], key: (Row) -> Key, item: (Row) throws -> Item
  ) rethrows -> Page<Item> {
    let shown = rows.prefix(limit)
    let next = rows.count > limit ? shown.last.map { key($0).description } : nil
    return Page(items: try shown.map(item), nextCursor: next)
  }
}
