/// The leaf by which a log states that it signs with a further key from now on. A reader who knows a former key, which signs for this leaf
/// too, can continue with the new one. A signature alone states nothing of the kind, since anyone can add theirs.
public struct LogKeyAddition: Hashable, Sendable {
  /// The kind of the leaf.
  public static let kind = "registerKeyAdded"

  public let key: VerifierKey
  public let time: String

  public init(key: VerifierKey, time: String) {
    self.key = key
    self.time = time
  }

  private static let start = Array("{\"key\":\"".utf8)
  private static let middle = Array("\",\"kind\":\"\(kind)\",\"time\":\"".utf8)

  /// Reads a leaf; nil for all others.
  public init?(entry: [UInt8]) {
    guard entry.starts(with: Self.start), let middle = entry.firstRange(of: Self.middle), entry.suffix(2) == Array("\"}".utf8),
      middle.upperBound <= entry.count - 2,
      let key = String(validating: entry[Self.start.count..<middle.lowerBound], as: UTF8.self),
      let time = String(validating: entry[middle.upperBound..<(entry.count - 2)], as: UTF8.self),
      let read = try? VerifierKey(key)
    else { return nil }
    self.init(key: read, time: time)
    guard let text = try? self.entry, Array(text.utf8) == entry else { return nil }
  }

  /// The leaf as canonical JSON.
  public var entry: String {
    get throws {
      try CanonicalJSON.object([
        ("key", .string(key.description)), ("kind", .string(Self.kind)), ("time", .string(time)),
      ]).text()
    }
  }
}
