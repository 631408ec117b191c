import Crypto
import Foundation

/// A secret in its stored form: version, key store and number of the key, then nonce, ciphertext and tag of AES-256-GCM.
///
/// The head is authenticated together with the name, so a change of either is detected.
struct SealedSecret {
  private static let version: UInt8 = 1
  private static let headLength = 6

  let store: UInt8
  let number: UInt32
  let bytes: [UInt8]

  /// Seals a secret under its name.
  init(_ secret: [UInt8], _ name: SecretName, store: UInt8, number: UInt32, key: SymmetricKey) throws {
    let head = Self.head(store, number)
    let box = try AES.GCM.seal(secret, using: key, authenticating: head + name.binding)
    // Absent only if the nonce has an unusual length.
    guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
    self.store = store
    self.number = number
    bytes = head + Array(combined)
  }

  /// Reads the stored form; nil if the bytes are not a sealed secret.
  init?(bytes: [UInt8]) {
    guard bytes.count > Self.headLength, bytes[0] == Self.version else { return nil }
    self.bytes = bytes
    store = bytes[1]
    number = bytes[2..<6].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The secret, if this was sealed by that key under that name.
  func open(_ name: SecretName, key: SymmetricKey) throws -> [UInt8] {
    let box = try AES.GCM.SealedBox(combined: bytes[Self.headLength...])
    return Array(try AES.GCM.open(box, using: key, authenticating: Self.head(store, number) + name.binding))
  }

  /// Its first bytes, under that key.
  static func head(_ store: UInt8, _ number: UInt32) -> [UInt8] {
    [version, store] + withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
