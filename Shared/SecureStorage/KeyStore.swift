public import Crypto
import Foundation
public import ServiceKit

/// A store of encryption keys. The keys are numbered from 1; the highest one seals, all of them open.
public protocol KeyStore: Sendable {
  /// Distinguishes this store from the other in a ciphertext; never changed.
  var id: UInt8 { get }
  /// The key that presently seals.
  func newest() throws -> (number: UInt32, key: SymmetricKey)
  /// Throws if there is no such key, or it cannot be read.
  func key(_ number: UInt32) throws -> SymmetricKey
}

/// Keys as files of a folder that only its owner may enter, mode 0600: `secrets-1`, `secrets-2`, …; the first is made at first use.
///
/// To rotate, add the next file; ``SecureStorage/renew(_:on:record:)`` seals older secrets again under it.
public struct KeyFolder: KeyStore {
  private static let prefix = "secrets-"
  private static let length = 32

  public let id: UInt8
  private let home: Home

  /// - Parameter home: the keys are in its `keys` folder.
  public init(id: UInt8, home: Home) {
    self.id = id
    self.home = home
  }

  public func newest() throws -> (number: UInt32, key: SymmetricKey) {
    try Home.makePrivateFolder(home.keys)
    let numbers = try FileManager.default.contentsOfDirectory(atPath: home.keys).compactMap { name in
      name.hasPrefix(Self.prefix) ? UInt32(name.dropFirst(Self.prefix.count)) : nil
    }
    let number = numbers.max() ?? 1
    // Made if there is none yet.
    return (number, SymmetricKey(data: try home.secret("\(Self.prefix)\(number)", bytes: Self.length)))
  }

  public func key(_ number: UInt32) throws -> SymmetricKey {
    let file = "\(home.keys)/\(Self.prefix)\(number)"
    // Reading creates no key: a missing key must not be replaced by another.
    guard let bytes = FileManager.default.contents(atPath: file) else { throw KeyMissing(number: number) }
    guard bytes.count == Self.length else {
      throw HomeFailure.damagedSecret(file: file, expected: Self.length, found: bytes.count)
    }
    return SymmetricKey(data: bytes)
  }

  /// There is no key with that number.
  public struct KeyMissing: Error, Hashable {
    public let number: UInt32
  }
}
