/// What a path below a log's prefix names: a tile of hashes or a bundle of entries (c2sp.org/tlog-tiles).
///
/// ```
/// tile/0/x001/x234/067        the full tile 1,234,067 of level 0
/// tile/entries/003.p/17       the first 17 entries of the fourth bundle
/// ```
public enum TilePath: Hashable, Sendable, CustomStringConvertible {
  case hashes(Tile)
  /// - number: which bundle, from 0.
  /// - width: how many entries, 1 to 256.
  case entries(number: Int, width: Int)

  /// The greatest number of which a tile can lie in a tree whose size is an `Int`.
  static let maxNumber = Int.max >> Tile.height

  /// Reads a path.
  ///
  /// - Parameter path: begins with `tile/`.
  /// - Throws: ``LogFault/malformed(_:)`` for everything but the one way to write it.
  public init(_ path: String) throws {
    var parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 20, omittingEmptySubsequences: false).map(Array.init)[
      ...]
    guard parts.popFirst() == Array("tile".utf8), let level = parts.popFirst(), var last = parts.popLast() else {
      throw Self.fault
    }
    var width = Tile.fullWidth
    if let name = parts.last, name.count == 5, name.suffix(2) == Array(".p".utf8) {
      guard let partial = DecimalNumber.value(last), 1..<Tile.fullWidth ~= partial else { throw Self.fault }
      width = partial
      last = Array(name.dropLast(2))
      parts.removeLast()
    }
    let number = try Self.number(parts, last)
    if level == Array("entries".utf8) {
      self = .entries(number: number, width: width)
    } else if let level = DecimalNumber.value(level), level <= Tile.maxLevel {
      self = .hashes(Tile(level: level, number: number, width: width))
    } else {
      throw Self.fault
    }
  }

  /// The number that groups of three digits write, all but the last behind an `x`.
  private static func number(_ groups: ArraySlice<[UInt8]>, _ last: [UInt8]) throws -> Int {
    guard groups.first != Array("x000".utf8) else { throw fault }
    var number = 0
    for group in groups {
      guard group.count == 4, group[0] == UInt8(ascii: "x") else { throw fault }
      number = try appending(Array(group.dropFirst()), to: number)
    }
    return try appending(last, to: number)
  }

  private static func appending(_ digits: [UInt8], to number: Int) throws -> Int {
    guard digits.count == 3, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let value = Int(String(decoding: digits, as: UTF8.self)), number <= (maxNumber - value) / 1_000
    else { throw fault }
    return number * 1_000 + value
  }

  private static let fault = LogFault.malformed(.tilePath)

  public var description: String {
    switch self {
    case .hashes(let tile): "tile/\(tile.level)/\(Self.text(tile.number))\(Self.suffix(tile.width))"
    case .entries(let number, let width): "tile/entries/\(Self.text(number))\(Self.suffix(width))"
    }
  }

  private static func suffix(_ width: Int) -> String { width == Tile.fullWidth ? "" : ".p/\(width)" }

  private static func text(_ number: Int) -> String {
    let digits = String(number % 1_000)
    let group = String(repeating: "0", count: 3 - digits.count) + digits
    return number < 1_000 ? group : prefix(number / 1_000) + group
  }

  private static func prefix(_ number: Int) -> String {
    let digits = String(number % 1_000)
    let group = "x" + String(repeating: "0", count: 3 - digits.count) + digits + "/"
    return number < 1_000 ? group : prefix(number / 1_000) + group
  }
}
