import Crypto
import Foundation

/// A key for codes that only identity can make: HMAC-SHA-256 (RFC 2104).
struct SecretKey: Sendable {
  private let key: SymmetricKey

  /// The key for one purpose, derived from a secret (HKDF, RFC 5869), so that no code for one serves for another.
  init(_ secret: [UInt8], purpose: String) {
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), info: Data("racha \(purpose)".utf8), outputByteCount: 32)
  }

  /// The message's code, 32 bytes.
  func code(for message: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: message, using: key)) }

  /// Whether it is the message's code, in constant time.
  func isCode(_ code: [UInt8], for message: [UInt8]) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key)
  }
}
