import Crypto
import Foundation
import NotificationsContract
import Operations

/// Encrypts what is pushed so that the device alone reads it (RFC 8291, over the `aes128gcm` coding of RFC 8188): one record, under a key
/// that is made for it.
enum PushEncryption {
  /// What every push service takes as a body (RFC 8030, section 7.2).
  static let maxBody = 4096
  /// Salt, record size, length of the key's name, and the key.
  private static let headBytes = 16 + 4 + 1 + 65
  private static let tagBytes = 16
  /// Most bytes that a body has room for, with the byte that ends them.
  static let maxPlaintext = maxBody - headBytes - tagBytes - 1
  /// Bodies are padded to a multiple of this, so that their length reveals little.
  private static let padding = 256

  /// Whether the bytes are a point of P-256.
  static func isPoint(_ key: PushKey) -> Bool {
    do {
      _ = try P256.KeyAgreement.PublicKey(x963Representation: Data(key.bytes))
      return true
    } catch {
      return false
    }
  }

  /// A body with some padding, under a fresh key and salt.
  static func body(_ plaintext: [UInt8], for key: PushKey, _ secret: PushSecret) throws -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let wanted = (plaintext.count / padding + 1) * padding - plaintext.count
    return try body(
      plaintext, for: key, secret, by: P256.KeyAgreement.PrivateKey(), salt: salt,
      padding: max(0, min(wanted, maxPlaintext - plaintext.count)))
  }

  /// The same by a given key and salt (RFC 8291, section 3.4).
  static func body(
    _ plaintext: [UInt8], for key: PushKey, _ secret: PushSecret, by own: P256.KeyAgreement.PrivateKey, salt: [UInt8],
    padding: Int
  ) throws -> [UInt8] {
    let device = try P256.KeyAgreement.PublicKey(x963Representation: Data(key.bytes))
    let ownKey = Data(own.publicKey.x963Representation)
    let shared = try own.sharedSecretFromKeyAgreement(with: device)
    let material = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: Data(secret.bytes), sharedInfo: Data("WebPush: info\0".utf8) + Data(key.bytes) + ownKey,
      outputByteCount: 32)
    func derived(_ name: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: material, salt: Data(salt), info: Data("Content-Encoding: \(name)\0".utf8), outputByteCount: count)
    }
    let nonce = derived("nonce", 12).withUnsafeBytes { Data($0) }
    // A 2 ends the last record.
    let padded = plaintext + [2] + Array(repeating: 0, count: padding)
    let sealed = try AES.GCM.seal(padded, using: derived("aes128gcm", 16), nonce: AES.GCM.Nonce(data: nonce))
    let recordSize = UInt32(maxBody).bigEndian
    let size = withUnsafeBytes(of: recordSize) { Array($0) }
    var body = salt
    body += size
    body.append(UInt8(ownKey.count))
    body += ownKey
    body += sealed.ciphertext
    body += sealed.tag
    return body
  }
}
