import Foundation

/// The leaf by which a log continues under another name, as after a restore from a backup. It names the last known checkpoint of the
/// previous log, and the period of which nothing is known.
public struct LogContinuation: Hashable, Sendable, Codable {
  /// The kind of the leaf.
  public static let kind = "registerContinued"

  public let kind: String
  public let time: String
  /// The log before it, and the last checkpoint of it that is known.
  public let previousOrigin: String
  public let previousSize: Int
  public let previousRoot: String
  /// How many leaves there are before this one.
  public let restoredSize: Int
  /// Registrations between these two times may be lost (RFC 3339).
  public let unknownFrom: String
  public let unknownUntil: String

  public init(time: String, previous: Checkpoint, restoredSize: Int, unknownFrom: String, unknownUntil: String) {
    kind = Self.kind
    self.time = time
    previousOrigin = previous.origin
    previousSize = previous.size
    previousRoot = previous.root.description
    self.restoredSize = restoredSize
    self.unknownFrom = unknownFrom
    self.unknownUntil = unknownUntil
  }

  /// Reads a leaf; nil for all others.
  public init?(entry: [UInt8]) {
    guard entry.starts(with: Array("{\"kind\":\"\(Self.kind)\"".utf8)),
      let read = try? JSONDecoder().decode(Self.self, from: Data(entry)), let text = try? read.entry,
      Array(text.utf8) == entry
    else { return nil }
    self = read
  }

  /// The leaf as canonical JSON.
  public var entry: String {
    get throws {
      try CanonicalJSON.object([
        ("kind", .string(kind)), ("previousOrigin", .string(previousOrigin)), ("previousRoot", .string(previousRoot)),
        ("previousSize", .number(Double(previousSize))), ("restoredSize", .number(Double(restoredSize))),
        ("time", .string(time)), ("unknownFrom", .string(unknownFrom)), ("unknownUntil", .string(unknownUntil)),
      ]).text()
    }
  }
}

extension LogContinuation: CustomStringConvertible {
  public var description: String {
    "The log goes on as after a restore of \(previousOrigin) at \(previousSize) leaves: of what was registered between "
      + "\(unknownFrom) and \(unknownUntil) nothing is known."
  }
}
