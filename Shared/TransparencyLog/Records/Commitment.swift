import Crypto

/// What a leaf shows of a record: a hash from which the record cannot be guessed without its salt (TASK-9). Anyone with record and salt
/// computes the same hash; once both are destroyed, nothing leads back.
public struct Commitment: Hashable, Sendable, CustomStringConvertible {
  /// How many random bytes a salt has.
  public static let saltByteCount = 32

  public let hash: TreeHash

  /// A commitment made elsewhere.
  public init(hash: TreeHash) { self.hash = hash }

  /// - Parameters:
  ///   - record: the canonical JSON of the record.
  ///   - salt: 32 random bytes, used for this record only.
  public init(_ record: String, salt: [UInt8]) {
    precondition(salt.count == Self.saltByteCount, "A commitment needs a whole salt.")
    hash = TreeHash(SHA256.hash(data: salt + Array(record.utf8)))
  }

  /// In base 64.
  public var description: String { hash.description }

  /// A new salt.
  public static func salt() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<saltByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}
