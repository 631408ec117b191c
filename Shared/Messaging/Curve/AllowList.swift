public import Operations

/// The keys accepted over the network, which service each belongs to, and which operations it may call.
///
///     {"entries":[{"key":"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID","service":"gateway","operations":["*"]}]}
public struct AllowList: Document, Hashable {
  public struct Entry: Document, Hashable {
    public var key: CurvePublicKey
    public var service: ServiceName
    /// Names of operations; `*` alone stands for all.
    public var operations: [String]

    public init(key: CurvePublicKey, service: ServiceName, operations: [String]) {
      self.key = key
      self.service = service
      self.operations = operations
    }

    public static let notes: Notes = [
      "key": "Public half of its CURVE key, in Z85.", "service": "The service that uses the key.",
      "operations": Note("What it may call; `*` for all.", items: 0...1000),
    ]
  }

  public var entries: [Entry]

  public init(entries: [Entry]) { self.entries = entries }

  public static let notes: Notes = ["entries": Note("One for each key.", items: 0...1000)]

  /// The key that a service's callers expect: the first one listed for it. Its further keys are only for calling others.
  public func serverKey(of service: ServiceName) -> CurvePublicKey? { entries.first { $0.service == service }?.key }

  public func check(_ fields: inout FieldChecks) {
    fields.expect(Set(entries.map(\.key)).count == entries.count, "entries", FieldRule("given_twice"))
  }
}

/// The allow-list in the form in which each request is checked.
struct Grants: Sendable {
  /// What one key may do. The key itself identifies the connection, so that two keys of one service may have different rights.
  struct Grant: Sendable {
    let service: ServiceName
    let isUnlimited: Bool
    let operations: Set<String>

    func permits(_ operation: String) -> Bool { isUnlimited || operations.contains(operation) }
  }

  private let grants: [String: Grant]

  init(_ list: AllowList) {
    grants = Dictionary(
      list.entries.map { entry in
        (
          entry.key.description,
          Grant(service: entry.service, isUnlimited: entry.operations == ["*"], operations: Set(entry.operations))
        )
      },
      uniquingKeysWith: { first, _ in first })
  }

  func isKnown(_ key: String) -> Bool { grants[key] != nil }

  /// Whether the key's holder may receive announcements: only if it may also fetch events.
  func maySubscribe(_ key: String) -> Bool { grants[key].map { $0.permits(EventExchange.fetch.rawValue) } ?? false }

  /// Whether the peer may send this header: only the gateway sends for accounts, a service sends only for itself, and each calls only what
  /// it was granted.
  func permits(_ header: RequestHeader, from userID: String?) -> Bool {
    guard let userID, let grant = grants[userID] else { return false }
    switch header.caller.kind {
    case .anonymous, .account: guard grant.service == .gateway else { return false }
    case .service: guard header.caller.service == grant.service else { return false }
    }
    return grant.permits(header.operation)
  }
}
