import Crypto
import Foundation
import ServiceKit

/// A secret that only a client keeps, to be recognised by it: 32 random bytes. The store keeps its hash.
///
/// The mark distinguishes the kinds of secrets: `typealias RefreshToken = ClientSecret<RefreshTokens>`.
struct ClientSecret<Mark>: Hashable, Sendable {
  private let bytes: [UInt8]

  /// A new secret.
  init() {
    var random = SystemRandomNumberGenerator()
    bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// Reads one; nil if none looks like that.
  init?(_ text: String) {
    guard let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The secret that this one is exchanged for. It is derived, so that an exchange can be repeated although only hashes are kept.
  func successor(key: SecretKey, for purpose: String) -> ClientSecret {
    ClientSecret(bytes: key.code(for: Array(purpose.utf8) + [0] + bytes))
  }

  /// The secret that replaces the one with that hash. It is derived, so that a client that sends the former one can be given it.
  static func replacing(_ hash: Data, key: SecretKey, for purpose: String) -> ClientSecret {
    ClientSecret(bytes: key.code(for: Array(purpose.utf8) + [0] + hash))
  }

  /// The stored hash. A plain hash is enough, since nobody can guess 256 random bits.
  var hash: Data { Data(SHA256.hash(data: bytes)) }

  /// As the client sees it.
  var text: String { Base64URL.encode(bytes) }
}
