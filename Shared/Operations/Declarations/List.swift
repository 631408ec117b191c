/// The position at which the next page of a list begins; opaque to clients.
///
/// It is the `nextCursor` of a page, valid only for the same list and the same caller. The service that made it decides what it holds and
/// whether it is genuine.
public struct PageCursor: TextValue {
  /// More than any service needs.
  static let maxBytes = 200

  public let description: String

  public init(text: String) throws(FieldRule) {
    let isBase64URL = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isBase64URL, (1...PageCursor.maxBytes).contains(text.utf8.count) else { throw PageCursor.invalid }
    description = text
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = PageCursor(trusted: "_")

  public static let schema: JSON = ["type": "string", "minLength": 1, "maxLength": .integer(maxBytes)]

  /// The rule for a cursor that this list did not issue.
  public static let invalid = FieldRule("invalid_cursor")
}

/// The input of every list: which page to return. Lists with filters have further fields of their own.
public protocol ListInput: Document {
  var limit: Int? { get }
  var cursor: PageCursor? { get }
}

extension ListInput {
  /// The notes of the fields that all lists share, combined with those of the other fields.
  public static func listNotes(_ others: Notes = [:]) -> Notes {
    let shared: Notes = [
      "limit": Note("The maximum number of items on the page; 50 if absent.", range: 1...200),
      "cursor": "The `nextCursor` of the page before.",
    ]
    return shared.merging(others) { shared, _ in shared }
  }
}

/// The input of a list without filters.
public struct ListPage: ListInput, Hashable {
  public var limit: Int?
  public var cursor: PageCursor?

  public init(limit: Int? = nil, cursor: PageCursor? = nil) {
    self.limit = limit
    self.cursor = cursor
  }

  public static let notes = listNotes()
}

/// One page of a list.
public struct Page<Item: Document>: Document {
  public var items: [Item]
  /// The `cursor` for the next page; absent on the last.
  public var nextCursor: PageCursor?

  public init(items: [Item], nextCursor: PageCursor? = nil) {
    self.items = items
    self.nextCursor = nextCursor
  }

  public static var schemaName: String { Item.schemaName + "Page" }

  public static var notes: Notes {
    ["items": "The page's items.", "nextCursor": "The `cursor` for the next page; absent on the last."]
  }
}
