/// The entries beside a tile of level 0: each behind its length in two bytes, big-endian (c2sp.org/tlog-tiles, “Log entries”).
public enum EntryBundle {
  /// More bytes an entry cannot have.
  public static let maxEntryBytes = 65_535

  /// - Throws: ``LogFault/malformed(_:)`` for an entry that is too long.
  public static func encoded(_ entries: some Collection<[UInt8]>) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in entries {
      guard entry.count <= maxEntryBytes else { throw LogFault.malformed(.entry) }
      bytes += [UInt8(entry.count >> 8), UInt8(entry.count & 0xFF)]
      bytes += entry
    }
    return bytes
  }

  /// - Parameter width: how many entries there have to be.
  /// - Throws: ``LogFault/malformed(_:)`` for fewer or more of them, or bytes left over.
  public static func decoded(_ bytes: some Collection<UInt8>, width: Int) throws -> [[UInt8]] {
    var rest = Array(bytes)[...]
    var entries: [[UInt8]] = []
    for _ in 0..<width {
      guard rest.count >= 2 else { throw LogFault.malformed(.entryBundle) }
      let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      rest = rest.dropFirst(2)
      guard rest.count >= count else { throw LogFault.malformed(.entryBundle) }
      entries.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    guard rest.isEmpty else { throw LogFault.malformed(.entryBundle) }
    return entries
  }
}
