public import Crypto

/// A hash of the tree: SHA-256, with a byte before what is hashed that tells leaves from nodes (RFC 6962 §2.1).
public struct TreeHash: Hashable, Sendable, CustomStringConvertible {
  /// How many bytes a hash has.
  public static let byteCount = 32

  /// As large as a vector of 32 bytes, but of a word's alignment: what is kept across a suspension may not ask for more than 16, or its task's
  /// memory is overrun.
  private struct Words: Hashable, Sendable {
    let first, second, third, fourth: UInt64
  }

  private let words: Words

  /// The root of the tree without leaves: the hash of nothing.
  public static let empty = TreeHash(SHA256.hash(data: [UInt8]()))

  /// The hash of an entry: SHA-256(0x00 || entry).
  public static func leaf(_ entry: some Sequence<UInt8>) -> TreeHash {
    TreeHash(SHA256.hash(data: [0x00] + Array(entry)))
  }

  /// The hash of a node: SHA-256(0x01 || left || right).
  public static func node(_ left: TreeHash, _ right: TreeHash) -> TreeHash {
    withUnsafeTemporaryAllocation(byteCount: 1 + 2 * byteCount, alignment: 1) { buffer in
      buffer[0] = 0x01
      buffer.storeBytes(of: left.words, toByteOffset: 1, as: Words.self)
      buffer.storeBytes(of: right.words, toByteOffset: 1 + byteCount, as: Words.self)
      var hash = SHA256()
      hash.update(bufferPointer: UnsafeRawBufferPointer(buffer))
      return TreeHash(hash.finalize())
    }
  }

  /// The root of a perfect subtree.
  ///
  /// - Parameter hashes: those of its lowest level; a power of two, at least one.
  static func root(ofPerfect hashes: ArraySlice<TreeHash>) -> TreeHash {
    var level = Array(hashes)
    while level.count > 1 {
      for index in 0..<level.count / 2 { level[index] = node(level[2 * index], level[2 * index + 1]) }
      level.removeLast(level.count / 2)
    }
    return level[0]
  }

  /// A digest as a hash.
  public init(_ digest: SHA256.Digest) {
    words = digest.withUnsafeBytes { $0.loadUnaligned(as: Words.self) }
  }

  /// The hash with these bytes; nil if they are not 32.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    words = Array(bytes).withUnsafeBytes { $0.loadUnaligned(as: Words.self) }
  }

  /// The hash in base 64.
  ///
  /// - Throws: ``LogFault/malformed(_:)``.
  public init(base64 text: some Collection<UInt8>) throws {
    guard let bytes = Base64.bytes(text), let hash = TreeHash(bytes: bytes) else { throw LogFault.malformed(.hash) }
    self = hash
  }

  /// Its 32 bytes.
  public var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

  /// In base 64, as notes and proofs write it.
  public var description: String { Base64.text(bytes) }
}
