/// The contents of a tile: its hashes one behind another, 32 bytes each (c2sp.org/tlog-tiles, “Merkle Tree”).
public enum TileHashes {
  /// - Parameter width: how many there have to be.
  /// - Throws: ``LogFault/malformed(_:)``.
  public static func decoded(_ bytes: some Collection<UInt8>, width: Int) throws -> [TreeHash] {
    guard bytes.count == width * TreeHash.byteCount else { throw LogFault.malformed(.tile) }
    let bytes = Array(bytes)
    return stride(from: 0, to: bytes.count, by: TreeHash.byteCount).compactMap {
      TreeHash(bytes: bytes[$0..<$0 + TreeHash.byteCount])
    }
  }

  public static func encoded(_ hashes: some Collection<TreeHash>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(hashes.count * TreeHash.byteCount)
    for hash in hashes { bytes += hash.bytes }
    return bytes
  }
}
